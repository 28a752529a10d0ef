import { type RefObject, useEffect, useRef } from "react";
import { focusPathOf, nearestIn, type OpenDialog, openDialogs } from "./focus-path.ts";

/**
 * Where the focus goes when a dialog closes: to what opened it. Remembered while it renders, because a field may take the
 * focus before Base UI looks.
 */
export function useReturnFocus(isOpen: boolean, popup: RefObject<HTMLElement | null>) {
  const dialog = useRef<OpenDialog>({ popup, path: [] });
  const wasOpen = useRef(false);
  if (isOpen && !wasOpen.current) dialog.current.path = focusPathOf(document.activeElement);
  wasOpen.current = isOpen;
  useEffect(() => {
    const { current } = dialog;
    openDialogs.add(current);
    return () => void openDialogs.delete(current);
  }, []);
  return () => nearestIn(dialog.current.path);
}
