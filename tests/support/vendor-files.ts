import { BOTS } from "./vendor-files/bots.ts";
import { HELPDESKS } from "./vendor-files/helpdesks.ts";
import { OFFICE } from "./vendor-files/office.ts";
import type { VendorFile } from "./vendor-files/table.ts";
import { TRAPS } from "./vendor-files/traps.ts";

export type { VendorFile };
export const VENDOR_FILES: readonly VendorFile[] = [...HELPDESKS, ...BOTS, ...OFFICE, ...TRAPS];
