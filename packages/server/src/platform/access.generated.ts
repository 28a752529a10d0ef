// Written by tools/write-tables.ts from a migrated database; a test compares the two.
import type { Access } from "./access.ts";

export const ACCESS: Access = {
  migrations: "",
  statements: [
  ],
};
