#!/bin/sh
# Creates two logins and the database, and installs pgvector, which needs a superuser. The PostgreSQL image runs it once, on an
# empty volume; by hand it uses psql's variables. "signalbox" owns the schema and is for migrate only. The service logs in as
# "signalbox_service", which owns nothing and can only assume signalbox_api or signalbox_work.
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
