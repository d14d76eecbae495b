"""Dagster definitions: assets, checks, resources, jobs, schedules, sensors. Thin wrappers over plain functions."""
