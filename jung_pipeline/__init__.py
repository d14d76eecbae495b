"""A person's own library of C. G. Jung, as text worth citing, a searchable index, and checkable answers.

The line, in the order of the folders:

    library file → extract → raw_text → clean → cleaned_text (and removal_ledger)
      → chunk → chunks → embed → embeddings → index → vector_index, index_manifest → query → cited answer

``defs/`` and ``definitions.py`` put Dagster around the line, ``cli/`` the ``jung`` command. Nothing else
imports Dagster; a vendor's SDK is imported only in the module named after it.
"""
