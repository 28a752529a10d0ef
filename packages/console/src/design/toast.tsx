import { Toast } from "@base-ui/react/toast";
import { CircleAlert, CircleCheck, X } from "lucide-react";
import type { ReactNode } from "react";
import { useWords } from "../words/index.ts";
import { buttonClass } from "./button.tsx";
import { classNames } from "./class-names.ts";

export interface ToastContent {
  title: string;
  description?: string;
  tone?: "good" | "bad";
  /** What takes it back, or leads on. */
  action?: { label: string; run: () => void };
}

const TIMEOUT_MS = 6_000;
const toasts = Toast.createToastManager();

/** From anywhere: the place where toasts are shown is part of the frame. */
export function showToast({ title, description, tone = "good", action }: ToastContent): void {
  const id = toasts.add({
    title,
    ...(description !== undefined && { description }),
    type: tone,
    timeout: tone === "bad" ? TIMEOUT_MS * 2 : TIMEOUT_MS,
    priority: tone === "bad" ? "high" : "low",
    ...(action && {
      actionProps: {
        children: action.label,
        onClick: () => {
          // An action is undone once.
          toasts.close(id);
          action.run();
        },
      },
    }),
  });
}

export function ToastPlace({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider toastManager={toasts} limit={3}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 z-50 flex w-[calc(100vw-2rem)] flex-col gap-2 in-[body:has([data-bottom-bar])]:bottom-24 in-[body:has([data-composer])]:top-4 in-[body:has([data-composer])]:bottom-auto sm:w-96 sm:in-[body:has([data-bottom-bar])]:bottom-16">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const words = useWords();
  const manager = Toast.useToastManager();
  return manager.toasts.map((toast) => {
    const isBad = toast.type === "bad";
    const Icon = isBad ? CircleAlert : CircleCheck;
    return (
      <Toast.Root
        key={toast.id}
        toast={toast}
        swipeDirection={["right", "down"]}
        className="rounded-lg bg-raised shadow-floating transition-[opacity,translate] duration-200 ease-out-soft data-starting-style:translate-y-3 data-starting-style:opacity-0 data-ending-style:opacity-0 data-limited:hidden"
      >
        <Toast.Content className="flex items-start gap-2.5 p-3">
          <Icon
            className={classNames("mt-1.5 size-4 shrink-0", isBad ? "text-bad" : "text-good")}
            aria-hidden
          />
          <div className="min-w-0 flex-1 py-1">
            <Toast.Title className="text-sm font-medium text-ink" />
            <Toast.Description className="text-xs wrap-anywhere text-ink-soft" />
          </div>
          {toast.actionProps !== undefined && <Toast.Action className={buttonClass({ size: "sm" })} />}
          <Toast.Close
            aria-label={words.common.dismiss}
            className={classNames(buttonClass({ tone: "quiet", size: "sm" }), "w-7 px-0!")}
          >
            <X className="size-3.5" aria-hidden />
          </Toast.Close>
        </Toast.Content>
      </Toast.Root>
    );
  });
}
