import { buildAsyncApi } from "../packages/contract/src/index.ts";
import { writeDocument } from "./write-document.ts";

await writeDocument("packages/contract/asyncapi.json", buildAsyncApi(), "write-asyncapi");
