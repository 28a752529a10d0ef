import { Drawer as BaseDrawer } from "@base-ui/react/drawer";
import { X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { useWords } from "../words/index.ts";
import { IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";
import { useReturnFocus } from "./use-return-focus.ts";

export interface DrawerProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  side?: "left" | "right";
  width?: "narrow" | "wide";
  children: ReactNode;
}

const SIDES = {
  left: "mr-auto data-starting-style:-translate-x-full data-ending-style:-translate-x-full",
  right: "ml-auto data-starting-style:translate-x-full data-ending-style:translate-x-full",
};

/** A panel over the page, which stays where it was behind it. */
export function Drawer({ open, onOpenChange, title, side = "right", width = "wide", children }: DrawerProps) {
  const words = useWords();
  const popup = useRef<HTMLDivElement>(null);
  const finalFocus = useReturnFocus(open, popup);
  return (
    <BaseDrawer.Root open={open} onOpenChange={onOpenChange} swipeDirection={side}>
      <BaseDrawer.Portal>
        <BaseDrawer.Backdrop className="fixed inset-0 z-30 bg-scrim transition-opacity duration-200 data-starting-style:opacity-0 data-ending-style:opacity-0" />
        <BaseDrawer.Viewport className="fixed inset-0 z-30 flex items-stretch">
          {/* Where no field takes the focus, Close would, with its tooltip. */}
          <BaseDrawer.Popup
            ref={popup}
            initialFocus={popup}
            finalFocus={finalFocus}
            className={classNames(
              "flex h-full flex-col bg-page shadow-floating outline-none transition-transform duration-200 ease-out-soft",
              width === "wide" ? "w-full max-w-3xl" : "w-72 max-w-[85vw]",
              SIDES[side],
            )}
          >
            <header
              className={classNames(
                "flex h-12 shrink-0 items-center gap-2 border-b border-line px-4",
                width === "wide" && "sm:px-6",
              )}
            >
              <BaseDrawer.Title className="min-w-0 flex-1 truncate text-sm font-semibold text-ink">
                {title}
              </BaseDrawer.Title>
              <BaseDrawer.Close
                render={
                  <IconButton label={words.common.close} size="sm">
                    <X className="size-4" aria-hidden />
                  </IconButton>
                }
              />
            </header>
            <BaseDrawer.Content className="min-h-0 flex-1 overflow-y-auto">{children}</BaseDrawer.Content>
          </BaseDrawer.Popup>
        </BaseDrawer.Viewport>
      </BaseDrawer.Portal>
    </BaseDrawer.Root>
  );
}
