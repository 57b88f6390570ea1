#!/bin/sh
# Called by Snakemake (--sdm conda) in the environment that it has made of environment.yml: the packages of `make`.
python -m pip install --quiet --require-hashes -r requirements.lock \
  && exec python -m pip install --quiet --no-deps --editable .
