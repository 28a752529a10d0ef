#!/bin/sh
# Run once by the image of PostgreSQL, on an empty volume: the service's own login, which row-level security binds,
# and pgvector, which only a superuser may install.
set -eu
psql --no-psqlrc --set ON_ERROR_STOP=1 --set password="$DATABASE_PASSWORD" --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
create role signalbox login createrole password :'password';
create database signalbox owner signalbox;
\connect signalbox
create extension vector;
SQL
