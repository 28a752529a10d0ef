import { buildOpenApi } from "../packages/contract/src/index.ts";
import { writeDocument } from "./write-document.ts";

await writeDocument("packages/contract/openapi.json", buildOpenApi(), "write-openapi");
