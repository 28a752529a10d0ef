import { defineConfig } from "oxlint";

export default defineConfig({
  plugins: ["eslint", "typescript", "unicorn", "oxc", "import", "promise", "node"],
  jsPlugins: [
    "./tools/rooms.ts",
    "./tools/table-owners.ts",
    "./tools/audited-writes.ts",
    "./tools/test-titles.ts",
  ],
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: "error" },
  categories: { correctness: "error" },
  ignorePatterns: ["**/dist/**"],
  rules: {
    "rooms/arrows": "error",
    "tables/owners": "error",
    "rooms/one-env-reader": "error",
    "rooms/file-names": "error",
    "operators/audited-writes": "error",
    "tests/whole-titles": "error",

    // A forgotten await is the bug that loses messages.
    "typescript/no-floating-promises": [
      "error",
      {
        allowForKnownSafeCalls: [
          {
            from: "package",
            package: "node:test",
            name: ["describe", "it", "test", "suite", "before", "after", "beforeEach", "afterEach"],
          },
        ],
      },
    ],
    "typescript/no-misused-promises": "error",
    "typescript/await-thenable": "error",
    "typescript/return-await": ["error", "error-handling-correctness-only"],
    "typescript/only-throw-error": "error",
    "typescript/prefer-promise-reject-errors": "error",
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],

    "import/no-cycle": "error",
    "import/no-self-import": "error",
    "import/no-duplicates": "error",
    "unicorn/prefer-node-protocol": "error",
    "typescript/consistent-type-imports": ["error", { disallowTypeAnnotations: false }],
    "typescript/no-import-type-side-effects": "error",

    // Characters are counted as code points, which is what spreading a string gives.
    "typescript/no-misused-spread": ["error", { allow: [{ from: "lib", name: "string" }] }],
    "typescript/no-explicit-any": "error",
    "typescript/ban-ts-comment": "error",
    "typescript/no-unnecessary-type-assertion": "error",
    "typescript/no-deprecated": "error",
    eqeqeq: "error",
    "no-console": "error",
    "no-var": "error",
    "prefer-const": "error",
    "no-empty": "error",
    "no-self-compare": "error",
    "no-fallthrough": "error",
    "array-callback-return": "error",
    "max-lines": ["error", { max: 400 }],
  },
  overrides: [
    {
      // fetch follows redirects and inflates without a limit: a developer's address is reached through the platform room.
      files: ["packages/server/src/**/*.ts"],
      rules: {
        "no-restricted-globals": [
          "error",
          { name: "fetch", message: "Use the outbound HTTP of the platform room: fetch follows redirects." },
        ],
      },
    },
    {
      files: ["**/*.test.ts"],
      rules: { "no-restricted-globals": "off" },
    },
    {
      files: [
        "tools/**",
        "bench/**",
        "tests/**",
        "examples/**",
        "packages/server/src/main.ts",
        "packages/cli/**",
      ],
      rules: { "no-console": "off" },
    },
    {
      // It proves what a developer can do who has read the specification alone.
      files: ["tests/acceptance/specification-only.test.ts"],
      rules: {
        "no-restricted-imports": [
          "error",
          {
            patterns: [
              {
                regex: "^(?!node:|\\.\\./support/bed\\.ts$)",
                message:
                  "Import nothing but Node and the start of the test bed: this client knows the specification alone.",
              },
            ],
          },
        ],
      },
    },
    {
      files: ["**/*.generated.ts"],
      rules: { "max-lines": "off" },
    },
  ],
});
