/*
 * The libraries for packed documents, loaded when one is to be read. The executable has another file in the place of this
 * one, with the same exports, that unpacks them: compiled like the rest they would add 11 MB to it.
 */

export const loadUnpdf = () => import("unpdf");
export const loadMammoth = async () => (await import("mammoth")).default;
