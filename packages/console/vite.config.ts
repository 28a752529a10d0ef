import tailwind from "@tailwindcss/vite";
import { defineConfig, parseSync, Visitor, type Plugin } from "vite";

/** `npm run dev` of a running service: calls go there, pages come from here. */
const SERVICE = "http://127.0.0.1:8080";

/** Methods by which a schema says something of itself. */
const WORDS = new Set(["describe", "meta"]);
/** Fields of a route that nothing in a browser looks at. */
const UNREAD = new Set(["summary", "reply", "events", "failures"]);

/** The contract describes its fields and routes for OpenAPI; a browser would fetch kilobytes that nobody reads. */
function withoutWords(file: string, code: string): string {
  const cuts: { from: number; to: number }[] = [];
  const isRoute = file.includes("/contract/src/routes/");
  new Visitor({
    CallExpression({ callee, end }) {
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
      if (WORDS.has(callee.property.name)) cuts.push({ from: callee.object.end, to: end });
    },
    Property({ key, start, end }) {
      const comma = code[end] === "," ? 1 : 0;
      if (isRoute && key.type === "Identifier" && UNREAD.has(key.name))
        cuts.push({ from: start, to: end + comma });
    },
  }).visit(parseSync(file, code).program);
  let [kept, at] = ["", 0];
  for (const { from, to } of cuts.toSorted((a, b) => a.from - b.from)) {
    kept += code.slice(at, Math.max(at, from));
    at = Math.max(at, to);
  }
  return kept + code.slice(at);
}

const contractWithoutWords: Plugin = {
  name: "contract-without-words",
  enforce: "pre",
  transform: (code, id) => (id.includes("/packages/contract/src/") ? withoutWords(id, code) : undefined),
};

export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  plugins: [tailwind(), contractWithoutWords],
  build: {
    target: "es2023",
    // Every file is fetched by its own name: the Content-Security-Policy allows no data: and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    manifest: "manifest.json",
    // "use client" of a library means nothing here, where everything runs in the browser.
    rolldownOptions: {
      // A schema that nothing refers to is left out: building one changes nothing else.
      treeshake: { manualPureFunctions: ["z"] },
      onLog: (level, log, handler) => log.code !== "MODULE_LEVEL_DIRECTIVE" && handler(level, log),
    },
  },
  server: {
    proxy: Object.fromEntries(["/admin", "/v1", "/v2", "/chat", "/account"].map((path) => [path, SERVICE])),
  },
  logLevel: "warn",
});
