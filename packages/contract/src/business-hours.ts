import { z } from "zod";
import { text } from "./values.ts";

const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$|^24:00$/;
const timeOfDay = z.string().regex(TIME_OF_DAY, "must be a time such as 09:00");

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export const BusinessHours = z
  .strictObject({
    time_zone: text(64).refine(isTimeZone, "must be the name of a time zone, such as Europe/Berlin"),
    open: z
      .array(
        z
          .strictObject({
            days: z
              .array(z.enum(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]))
              .min(1)
              .max(7),
            from: timeOfDay,
            to: timeOfDay,
          })
          .refine(({ from, to }) => from < to, "from must be before to; write two entries for a night"),
      )
      .min(1)
      .max(50),
  })
  .meta({ id: "BusinessHours" });
export type BusinessHours = z.output<typeof BusinessHours>;
