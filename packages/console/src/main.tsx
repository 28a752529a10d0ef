import { CSPProvider } from "@base-ui/react/csp-provider";
import { Tooltip } from "@base-ui/react/tooltip";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { lazy, StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { ToastPlace } from "./design/index.ts";
import "./design/tokens.css";
import { router } from "./frame/router.tsx";
import { show } from "./preferences/index.ts";
import { createQueryClient, enterDevMode } from "./service/index.ts";
import { WordsProvider } from "./words/index.ts";

// The API reference is one page for everybody, without a session and without the frame.
const Reference = lazy(async () => ({ default: (await import("./reference/reference.tsx")).Reference }));
const isReference = location.pathname.startsWith("/reference");

enterDevMode();
show();
void import("./frame/keep-focus.ts").then(({ keepFocus }) => keepFocus());
const place = document.querySelector("#console");
if (place === null) throw new Error("index.html has no element with the id console");
createRoot(place).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={createQueryClient()}>
        <WordsProvider>
          <Tooltip.Provider delay={400}>
            <ToastPlace>
              {isReference ? (
                <Suspense>
                  <Reference />
                </Suspense>
              ) : (
                <RouterProvider router={router} />
              )}
            </ToastPlace>
          </Tooltip.Provider>
        </WordsProvider>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
