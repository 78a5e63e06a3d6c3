"""Tests of standalone services: on a data directory, and on many machines with PostgreSQL and a bucket."""
