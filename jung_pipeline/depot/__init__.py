"""The depot: a bucket or folder that several machines share; every ``JUNG_HOME`` is then a working copy of it.

Off unless the setting ``data_url`` names one. Stages, index and readers go on working with local files at local
speed; this package takes what a volume or version needs from the depot before, and hands over what is new after.
"""
