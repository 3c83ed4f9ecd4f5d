/** Files and manifests that a bundle was made from, by their names in the repository, and a hash over them. */
export type BundleInputs = { fingerprint: string; files: readonly string[] };

export declare function fingerprintOf(root: URL, files: readonly string[]): string;
export declare function freshBundle(root?: URL): URL | undefined;
