export { exportNumbers } from "./export-numbers.ts";
export { numbersSweep } from "./numbers-sweep.ts";
export { getNumbers } from "./read-numbers.ts";
