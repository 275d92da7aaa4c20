/**
 * `?`, `&`, `;` and `#`, which begin a parameter of an address, also as JSON may escape them, and in an address that is itself encoded, once or
 * twice.
 */
const opening = String.raw`[?&;#]|\\u00(?:3f|26|3b|23)|%(?:25){0,2}(?:3f|26|3b|23)`;

const assign = String.raw`=|\\u003d|%(?:25){0,2}3d`;

const nameCharacter = "[\\w.~$[\\]-]|%(?:25){0,2}(?:5[bdf]|2[de]|[46][0-9a-f]|[57][0-9a])";

/** A value may be an address with parameters of its own: `?next=https://host?sig=…`. A semicolon belongs to it unless a parameter follows. */
const valueCharacter = String.raw`[^\s"'?&#;<>\\%]|;(?![\w.-]{1,40}=)|%(?!(?:25){0,2}(?:3f|26|3b|23))`;

/** One parameter of an address: its sign, its name, the sign of assignment and its value. */
const parameter = new RegExp(
  `(${opening})((?:${nameCharacter}){1,120}?)(${assign})((?:${valueCharacter})+)`,
  "gi",
);

/** Names that are secrets in an address and ordinary words elsewhere. */
const addressSecret = /^(?:code|sig|state|auth|ticket|pass|hmac|sid|pin|appid)$/i;

/** User and password of an address that is encoded, once or twice: `https%3A%2F%2Fme%3Asecret%40host`. */
const encodedUser =
  /((?:%(?:25){0,2}2f){2})((?:(?!%(?:25){0,2}(?:2f|3f|23))[^\s/?#"'<>]){1,1024}?)(%(?:25){0,2}40)/gi;

/**
 * Replaces the secrets of addresses in `text` that a plain pattern misses: parameters whose names are encoded, indexed (`auth[token]=`) or
 * secret only in an address, and parts of addresses that are themselves encoded.
 */
export function replaceAddressSecrets(
  text: string,
  isSecretName: (name: string) => boolean,
  replace: (secret: string) => string,
): string {
  const isSecret = (encoded: string) => {
    const name = decoded(encoded).replace(/\[\d*\]$|\]$/, "");
    return addressSecret.test(name) || isSecretName(name);
  };
  return text
    .replace(parameter, (whole, sign: string, name: string, equals: string, value: string) =>
      isSecret(name) ? sign + name + equals + replace(value) : whole,
    )
    .replace(
      encodedUser,
      (_whole, slashes: string, user: string, at: string) => slashes + replace(user) + at,
    );
}

/** Decodes a name that was encoded up to three times. */
function decoded(name: string): string {
  let text = name;
  for (let pass = 0; pass < 3 && text.includes("%"); pass++)
    text = text.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  return text;
}
