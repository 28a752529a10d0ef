import { createContext, type ReactNode, use, useEffect, useMemo, useState } from "react";
import { type Language, usePreferences } from "../preferences/index.ts";
import { en } from "./en/catalogue.ts";
import type { screens } from "./en/screens.ts";

/** Every text of the frame and the components. A language that lacks one does not compile. */
export type Words = typeof en;
/** Every text of the screens. */
export type ScreenWords = typeof screens;

type Loaders<Loaded> = Record<Language, () => Promise<Loaded>>;

/** English is what the others are written after; another language is fetched when it is chosen. */
const FRAME: Loaders<Words> = {
  en: () => Promise.resolve(en),
  "zh-CN": async () => (await import("./zh-cn/catalogue.ts")).zhCn,
};

const SCREENS: Loaders<ScreenWords> = {
  en: async () => (await import("./en/screens.ts")).screens,
  "zh-CN": async () => (await import("./zh-cn/screens.ts")).screens,
};

const Context = createContext<Words>(en);
const ScreenContext = createContext<(Words & ScreenWords) | undefined>(undefined);

export function useWords(): Words {
  return use(Context);
}

/** Below ScreenWordsProvider only. */
export function useScreenWords(): Words & ScreenWords {
  const words = use(ScreenContext);
  if (words === undefined) throw new Error("the words of screens are used outside of a screen");
  return words;
}

/** Undefined until the language is there, so that no other one flashes; the last one while the next is fetched. */
function useLoaded<Loaded>(loaders: Loaders<Loaded>, first?: Loaded): Loaded | undefined {
  const { language } = usePreferences();
  const [loaded, setLoaded] = useState(first);
  useEffect(() => {
    let isWanted = true;
    void loaders[language]().then(
      (words) => isWanted && setLoaded(words),
      // Thrown where the page shows what went wrong.
      (error: unknown) =>
        setLoaded(() => {
          throw error;
        }),
    );
    return () => {
      isWanted = false;
    };
  }, [language, loaders]);
  return loaded;
}

export function WordsProvider({ children }: { children: ReactNode }) {
  const { language } = usePreferences();
  const loaded = useLoaded(FRAME, language === "en" ? en : undefined);
  return loaded === undefined ? null : <Context value={loaded}>{children}</Context>;
}

export function ScreenWordsProvider({ children, fallback }: { children: ReactNode; fallback: ReactNode }) {
  const words = useWords();
  const loaded = useLoaded(SCREENS);
  const both = useMemo(() => loaded && { ...words, ...loaded }, [words, loaded]);
  return both === undefined ? fallback : <ScreenContext value={both}>{children}</ScreenContext>;
}
