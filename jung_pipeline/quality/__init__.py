"""The promises of every stage as pure functions that return outcomes; Dagster and the command line show them."""
