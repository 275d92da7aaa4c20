/** A file with a table. Elysia sends a Response as it is, but its types don't let a handler return one or a result. */
export const csvAnswer = (name: string, text: string): never =>
  new Response(text, {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${name}.csv"`,
    },
  }) as never;
