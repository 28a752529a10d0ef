const EMAIL =
  /(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5}/gu;
/** Seven digits or more, as people write telephone numbers, accounts and orders. */
const LONG_NUMBER = /\+?\p{Nd}(?:[ ()./-]{0,2}\p{Nd}){6,30}/gu;
const PHONE = /^(?:\+|00|0)|[ ()/-]/u;
/** Letters and digits together, as in IBANs, bookings and licences. */
const CODE = /(?<![A-Za-z0-9-])(?=[A-Z0-9-]{8,40}\b)(?=[A-Z-]{0,40}[0-9])[A-Z]{1,4}[A-Z0-9-]{4,36}\b/g;
const DATE = /^\p{Nd}{4}[./-]\p{Nd}{1,2}[./-]\p{Nd}{1,2}$|^\p{Nd}{1,2}[./-]\p{Nd}{1,2}[./-]\p{Nd}{4}$/u;

/** What names one person in a text that was written to one person: an answer for everybody has no use for it. */
export function maskPersonalData(text: string): string {
  return text
    .replaceAll(EMAIL, "[email]")
    .replaceAll(CODE, "[number]")
    .replaceAll(LONG_NUMBER, (number) => {
      if (DATE.test(number)) return number;
      return PHONE.test(number) ? "[phone]" : "[number]";
    });
}
