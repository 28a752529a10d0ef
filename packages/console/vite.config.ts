import tailwind from "@tailwindcss/vite";
import { defineConfig, type Plugin } from "vite";

/** `npm run dev` of a running service: calls go there, pages come from here. */
const SERVICE = "http://127.0.0.1:8080";

const DESCRIPTION = /\.describe\(\s*"(?:[^"\\\n]|\\.)*",?\s*\)/g;

const SUMMARY = /^ {4}summary: "(?:[^"\\\n]|\\.)*",$/gm;

/** Nothing in a browser looks at the schema of a reply. */
const REPLY = /^ {4}(?:reply|events): .*,$/gm;

/** The contract describes its fields and routes for OpenAPI; a browser would fetch kilobytes that nobody reads. */
const withoutDescriptions: Plugin = {
  name: "without-descriptions",
  enforce: "pre",
  transform: (code, id) =>
    id.includes("/packages/contract/src/")
      ? code.replaceAll(DESCRIPTION, "").replaceAll(SUMMARY, "").replaceAll(REPLY, "")
      : undefined,
};

export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  plugins: [tailwind(), withoutDescriptions],
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
