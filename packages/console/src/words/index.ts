export { ROLE_NAMES } from "./role-names.ts";
export {
  type ScreenWords,
  ScreenWordsProvider,
  useScreenWords,
  useWords,
  type Words,
  WordsProvider,
} from "./provider.tsx";
