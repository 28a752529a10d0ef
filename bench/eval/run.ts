import { parseArgs } from "node:util";
import { evaluateParaphrases } from "./evaluate-paraphrases.ts";
import { evaluateSets } from "./evaluate-sets.ts";

// `npm run eval -- --data DIR --json`: how well questions find their pairs in the public sets.
// `npm run eval -- --paraphrases DIR --json`: what users are answered, as the service is shipped.
const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    data: { type: "string" },
    only: { type: "string", multiple: true },
    paraphrases: { type: "string" },
    /** `tuning` or `held-out`: one half of the questions; all when left out. */
    half: { type: "string" },
    /** Prints each question that was not answered right. */
    verbose: { type: "boolean", default: false },
    "embedding-rate": { type: "string" },
    "no-dense": { type: "boolean", default: false },
  },
});

const rate = values["embedding-rate"];
if (values.paraphrases === undefined)
  await evaluateSets({
    data: values.data,
    only: values.only,
    embeddingRate: rate === undefined ? undefined : Number(rate),
    withVectors: !values["no-dense"],
  });
else
  await evaluateParaphrases({
    directory: values.paraphrases,
    half: values.half,
    verbose: values.verbose,
  });
