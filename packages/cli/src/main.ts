#!/usr/bin/env node
import process from "node:process";
import { runCommandLine } from "./run.ts";

// A reader that has seen enough, such as head, closes the pipe: that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2), process.env, {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
  isWatched: process.stderr.isTTY,
});
