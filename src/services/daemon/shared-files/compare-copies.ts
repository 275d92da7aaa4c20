/*
 * What a node does about one entry, by three digests: that of its own copy, that of the shared entry, and the one on which both agreed last.
 *
 * same       Nothing to do; they agree.
 * take       The shared text replaces the copy, which nobody changed here.
 * replace    The same, but the copy has changes of its own, or was never compared: it is set aside first.
 * remove     The entry was deleted elsewhere, and the copy is an old one.
 * give       The copy was changed here, or is new: it becomes the shared one.
 * withdraw   The copy was deleted here while this process ran: it is deleted everywhere.
 */
export type CopyStep = "same" | "take" | "replace" | "remove" | "give" | "withdraw";

export interface Copies {
  /** Digest of this node's copy; undefined if it has none. */
  own: string | undefined;
  /** The shared entry; undefined if there never was one. */
  shared: { digest: string; isDeleted: boolean } | undefined;
  /** Digest on which both agreed last; undefined if they never did. */
  agreed: string | undefined;
  /** True if this process has seen the copy that is gone. A missing copy at a start may be another folder, or a lost disk. */
  wasSeen: boolean;
}

export function compareCopies({ own, shared, agreed, wasSeen }: Copies): CopyStep {
  if (shared === undefined) return own === undefined ? "same" : "give";
  if (shared.isDeleted) {
    if (own === undefined) return "same";
    return own === agreed || own === shared.digest ? "remove" : "give";
  }
  if (own === shared.digest) return "same";
  if (own === undefined) return wasSeen && agreed === shared.digest ? "withdraw" : "take";
  if (own === agreed) return "take";
  return agreed === shared.digest ? "give" : "replace";
}
