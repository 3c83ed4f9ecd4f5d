import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eq, sql } from 'drizzle-orm';
import { users } from '#server/schema/accounts.tables.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { type FormGiven, formBody, sendForm } from '#tests/support/forms.ts';

export type Answer = Awaited<ReturnType<typeof sendForm>>;
export type FileOwner = Owner & {
  upload(given: FormGiven, url?: ['POST' | 'PUT', string]): Promise<Answer>;
};

/** The whole product, owners on any plan, and a look at what lies in the store. */
export async function createFilesWorld(given: Parameters<typeof createEverkept>[0] = {}) {
  const everkept = await createEverkept(given);
  const { app, database, store } = everkept;
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;

  async function newOwner(plan: PlanName = 'essential'): Promise<FileOwner> {
    const owner = await everkept.signUp();
    await database.db.update(users).set({ plan }).where(eq(users.id, owner.userId));
    return {
      ...owner,
      upload: (given, url = ['POST', '/api/documents']) =>
        sendForm({ app, cookie: owner.browser.cookie }, url, { fields: { category: 'legal' }, ...given }),
    };
  }

  /** How many rows of files there are, documents and attachments, and how many files lie in the store. */
  async function kept() {
    const { rows } = await database.db.execute<{ objects: number; documents: number; attachments: number }>(sql`
      select (select count(*)::int from file_objects) as objects, (select count(*)::int from documents) as documents,
        (select count(*)::int from messages where attachment_path is not null) as attachments`);
    return { ...rows[0], files: store.files.size };
  }

  /** A request over a real connection, of which the test sends as much as it likes. */
  function connect(owner: Owner, url: string, headers: Record<string, string | number>): ClientRequest {
    return request({
      host: '127.0.0.1',
      port,
      path: url,
      method: 'POST',
      headers: { cookie: owner.browser.cookie ?? '', 'sec-fetch-site': 'same-origin', ...headers },
    });
  }

  /** Sends a form in which the file is as long as wanted, without ever holding it. */
  async function sendLarge(owner: Owner, { name, head, sizeBytes }: { name: string; head: Buffer; sizeBytes: number }) {
    const { body, type } = formBody({ fields: { category: 'personal' }, file: { name, content: 'SPLIT' } });
    const at = body.indexOf('SPLIT');
    const [before, after] = [body.subarray(0, at), body.subarray(at + 5)];
    const call = connect(owner, '/api/documents', {
      'content-type': type,
      'content-length': before.length + sizeBytes + after.length,
    });
    const answered = once(call, 'response');
    call.write(before);
    call.write(head);
    const chunk = Buffer.alloc(1_000_000, 7);
    for (let left = sizeBytes - head.length; left > 0; left -= chunk.length) {
      if (!call.write(left < chunk.length ? chunk.subarray(0, left) : chunk)) await once(call, 'drain');
    }
    call.end(after);
    const [response] = await answered;
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part);
    return { status: response.statusCode as number, body: JSON.parse(Buffer.concat(parts).toString()) };
  }

  return { ...everkept, port, newOwner, kept, connect, sendLarge };
}

export type FilesWorld = Everkept & Awaited<ReturnType<typeof createFilesWorld>>;
