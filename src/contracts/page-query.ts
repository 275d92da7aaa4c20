/** Page of a list, as a client asks for it. */
export interface PageQuery {
  limit?: number;
  /** `next_cursor` of the page before; absent: the first page. */
  cursor?: string;
}
