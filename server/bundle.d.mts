/** Sources and package manifests of a bundle, as paths from the root, and a hash over them. */
export type BundleInputs = { fingerprint: string; files: readonly string[] };

/**
 * Hashes the names and contents of files: SHA-256, as hexadecimal digits.
 *
 * @throws if a file can't be read.
 */
export declare function fingerprintOf(root: URL, files: readonly string[]): string;

/** Address of the bundled server. Undefined if there is none, or if one of its inputs has changed since. */
export declare function freshBundle(root?: URL): URL | undefined;
