import { type FocusPath, focusPathOf, nearestIn } from "../design/focus-path.ts";

/**
 * What has the focus may go away with its row or screen. Browsers then forget it, and with it where somebody without a
 * mouse was: it goes to the nearest control instead, or to the next screen.
 */
export function keepFocus(): void {
  let path: FocusPath = focusPathOf(document.activeElement);
  const isNowhere = () => document.activeElement === document.body;
  const isLost = () => isNowhere() && path[0]?.isConnected === false;
  document.addEventListener("focusin", ({ target }) => (path = focusPathOf(target as Element)));
  // Left for nothing, as by a click beside everything: that is no loss.
  document.addEventListener("focusout", () =>
    queueMicrotask(() => {
      if (isNowhere() && path[0]?.isConnected === true) path = [];
    }),
  );
  new MutationObserver(() => {
    if (!isLost()) return;
    // Code that closes a dialog or opens a drawer has a frame to place the focus.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (isLost()) nearestIn(path)?.focus({ preventScroll: true });
      }),
    );
  }).observe(document.body, { childList: true, subtree: true });
}
