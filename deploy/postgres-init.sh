#!/bin/sh
# Run once by the image of PostgreSQL, on an empty volume, or by hand with psql's own variables: two logins, the database, and
# pgvector, which only a superuser may install. "signalbox" owns the schema and is for migrate alone; the service logs in as
# "signalbox_service", which owns nothing and has no right but by taking on signalbox_api or signalbox_work.
set -eu
psql --no-psqlrc --set ON_ERROR_STOP=1 --set owner_password="$MIGRATION_DATABASE_PASSWORD" \
  --set service_password="$DATABASE_PASSWORD" --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
create role signalbox login createrole password :'owner_password';
create role signalbox_service login noinherit password :'service_password';
set role signalbox;
create role signalbox_api nologin;
create role signalbox_work nologin;
grant signalbox_api, signalbox_work to signalbox_service;
reset role;
create database signalbox owner signalbox;
\connect signalbox
create extension if not exists vector;
SQL
