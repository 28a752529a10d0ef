export {
  type ScreenWords,
  ScreenWordsProvider,
  useScreenWords,
  useWords,
  type Words,
  WordsProvider,
} from "./provider.tsx";
