import type * as english from "../../platform/amounts.ts";

export const amountWords: typeof english.amountWords = {
  month: "1 mes",
  days: (days, of) => `${days} de ${of} días`,
  credits: (amount) => `${amount} créditos`,
  subtotal: "Subtotal",
  rounding: "Redondeo a centavos",
  net: "Importe neto",
  total: "Total",
  creditNotes: "Notas de crédito",
};
