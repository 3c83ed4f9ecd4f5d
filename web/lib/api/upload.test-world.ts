/** One upload that a page has begun, to be carried on by the test. */
export type BegunUpload = {
  /** Method and path: `POST /api/…`. */
  key: string;
  headers: Record<string, string>;
  fields: Record<string, string>;
  file: File;
  isAborted: boolean;
  sent(sentBytes: number, totalBytes: number): void;
  answer(status: number, body: unknown, contentType?: string): void;
  loseConnection(): void;
};

export type Uploads = { begun: BegunUpload[]; last(): BegunUpload; stop(): void };

/** Stands in for the service where files are sent to it, at the one place where the pages reach it. */
export function startUploads(): Uploads {
  const real = globalThis.XMLHttpRequest;
  const begun: BegunUpload[] = [];

  class StandIn {
    readonly upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
    onload?: () => void;
    onerror?: () => void;
    onabort?: () => void;
    status = 0;
    responseText = '';
    withCredentials = false;
    private key = '';
    private readonly headers: Record<string, string> = {};
    private contentType = '';
    private call: BegunUpload | undefined;

    open(method: string, path: string) {
      this.key = `${method} ${path}`;
    }
    setRequestHeader(name: string, value: string) {
      this.headers[name] = value;
    }
    getResponseHeader() {
      return this.contentType;
    }
    send(form: FormData) {
      const { file, ...fields } = Object.fromEntries(form) as Record<string, string> & { file: File };
      this.call = {
        key: this.key,
        headers: this.headers,
        fields,
        file,
        isAborted: false,
        sent: (loaded, total) => this.upload.onprogress?.({ loaded, total }),
        answer: (status, body, contentType = 'application/json; charset=utf-8') => {
          this.status = status;
          this.responseText = typeof body === 'string' ? body : JSON.stringify(body);
          this.contentType = contentType;
          this.onload?.();
        },
        loseConnection: () => this.onerror?.(),
      };
      begun.push(this.call);
    }
    abort() {
      if (this.call) this.call.isAborted = true;
      this.onabort?.();
    }
  }

  globalThis.XMLHttpRequest = StandIn as unknown as typeof XMLHttpRequest;
  return {
    begun,
    last: () => {
      const call = begun.at(-1);
      if (!call) throw new Error('No upload has begun.');
      return call;
    },
    stop: () => {
      globalThis.XMLHttpRequest = real;
    },
  };
}

/** A file of a given size that takes no room of that size. */
export function fileOf(name: string, { type = 'application/pdf', sizeBytes = 5 } = {}): File {
  const file = new File(['bytes'], name, { type });
  Object.defineProperty(file, 'size', { value: sizeBytes });
  return file;
}
