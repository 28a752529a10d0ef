export { type Desk, type DeskOptions, openDesk } from "./desk.ts";
