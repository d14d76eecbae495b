# Two commands do everything on a fresh machine: `make demo` and `make test`.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint clean

demo: $(READY)
	$(BIN)/jung demo

test: $(READY)
	$(BIN)/python -m pytest -n auto --dist loadfile

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) build *.egg-info

# The environment, made anew when the dependencies change. Debian keeps venv in a package of its own.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.11 …"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { [ "$$(id -u)" = 0 ] && apt-get install -y -q python3-venv; } || \
	  { echo "Python's venv is missing. On Debian and Ubuntu: sudo apt install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $(READY)
