import { Outlet, useNavigate, useSearch } from "@tanstack/react-router";
import { Menu as MenuIcon, Search } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { IconButton, SkeletonLines } from "../design/index.ts";
import { useFollowedChanges, useSession } from "../service/index.ts";
import { ScreenWordsProvider, useWords } from "../words/index.ts";
import { AccessGate } from "./access-gate.tsx";
import { linkTokenIn } from "./link-token.ts";
import { Mark } from "./mark.tsx";
import { Navigation } from "./navigation.tsx";
import { usePageEntries } from "./pages.ts";
import { useShortcuts } from "./shortcuts.ts";
import { TabTitle } from "./tab-title.tsx";

// Code that the first page does not need is loaded on demand.
const Join = lazy(async () => ({ default: (await import("./join.tsx")).Join }));
const OidcReturn = lazy(async () => ({ default: (await import("./oidc-return.tsx")).OidcReturn }));
const ResetPassword = lazy(async () => ({ default: (await import("./reset-password.tsx")).ResetPassword }));
const SignIn = lazy(async () => ({ default: (await import("./sign-in.tsx")).SignIn }));
const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));
const ShortcutSheet = lazy(async () => ({ default: (await import("./shortcut-sheet.tsx")).ShortcutSheet }));
const NavigationDrawer = lazy(async () => ({
  default: (await import("./navigation-drawer.tsx")).NavigationDrawer,
}));

/** Where the shortcut / leads: the first filter of a screen carries this id. */
const FILTER_ID = "filters";

type Layer = "palette" | "sheet" | "drawer";

export function Shell() {
  const session = useSession();
  const invitation = linkTokenIn(location, "join");
  const reset = linkTokenIn(location, "reset");
  const comesBack = location.pathname === "/console/oidc";
  if (invitation !== undefined || reset !== undefined || comesBack)
    return (
      <Suspense>
        {comesBack && <OidcReturn />}
        {invitation !== undefined && <Join token={invitation} />}
        {reset !== undefined && <ResetPassword token={reset} />}
      </Suspense>
    );
  if (session !== undefined) return <SignedIn />;
  return (
    <Suspense>
      <SignIn />
    </Suspense>
  );
}

function SignedIn() {
  const { agent } = useSearch({ from: "__root__" });
  useFollowedChanges(agent);
  const words = useWords();
  const navigate = useNavigate();
  const pages = usePageEntries();
  const [open, setOpen] = useState<Layer>();
  /** Those that were open once: they stay, so that closing them can be seen. */
  const [asked, setAsked] = useState<ReadonlySet<Layer>>(new Set());
  const show = (layer: Layer) => {
    setAsked((before) => new Set(before).add(layer));
    setOpen(layer);
  };
  const close = (isOpen: boolean) => {
    if (!isOpen) setOpen(undefined);
  };
  useShortcuts({
    onPalette: () => show("palette"),
    onSheet: () => show("sheet"),
    onFilter: () => document.querySelector<HTMLElement>(`#${FILTER_ID} :is(button, input)`)?.focus(),
    onGo: (key) => {
      const page = pages.find((one) => one.key === key);
      if (page !== undefined) void navigate({ to: page.to });
      return page !== undefined;
    },
  });
  const waiting = <SkeletonLines className="p-6" lines={8} />;
  return (
    <div className="flex h-full">
      <TabTitle />
      <a
        href="#content"
        className="absolute top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent-fill px-3 py-1.5 text-sm font-medium text-on-accent focus:translate-y-0"
      >
        {words.frame.skipToContent}
      </a>
      <aside className="hidden w-60 shrink-0 border-r border-line bg-page lg:block">
        <Navigation onPalette={() => show("palette")} onShortcuts={() => show("sheet")} />
      </aside>
      <div className="flex min-w-0 flex-1 flex-col">
        <div className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2 lg:hidden">
          <IconButton label={words.frame.openNavigation} onClick={() => show("drawer")}>
            <MenuIcon className="size-4" aria-hidden />
          </IconButton>
          <Mark className="size-6" />
          <span className="text-sm font-semibold">{words.frame.product}</span>
          <IconButton className="ml-auto" label={words.palette.title} onClick={() => show("palette")}>
            <Search className="size-4" aria-hidden />
          </IconButton>
        </div>
        <main id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto bg-page outline-none">
          <Suspense fallback={waiting}>
            <AccessGate>
              <ScreenWordsProvider fallback={waiting}>
                <Outlet />
              </ScreenWordsProvider>
            </AccessGate>
          </Suspense>
        </main>
      </div>
      <Suspense>
        {asked.has("drawer") && (
          <NavigationDrawer
            open={open === "drawer"}
            onOpenChange={close}
            onPalette={() => show("palette")}
            onShortcuts={() => show("sheet")}
          />
        )}
        {asked.has("palette") && (
          <Palette open={open === "palette"} onOpenChange={close} onShortcuts={() => show("sheet")} />
        )}
        {asked.has("sheet") && <ShortcutSheet open={open === "sheet"} onOpenChange={close} />}
      </Suspense>
    </div>
  );
}
