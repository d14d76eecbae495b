"""The partitions: one per volume that is in the library. Keys come and go with the library (``volumes.py``)."""

import dagster as dg

volumes = dg.DynamicPartitionsDefinition(name="volumes")
