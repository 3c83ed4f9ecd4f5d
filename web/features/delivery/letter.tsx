import { useEffect, useState } from 'react';
import type { DeliveredMessage } from '#shared/contract/letters/delivery.ts';
import { productName } from '#shared/product.ts';
import { isSealedEnvelope } from '#shared/rules/letters/sealed-envelope.ts';
import { deliveryLinkDays } from '#shared/rules/retention.ts';
import { Enclosed } from '#web/components/letter/enclosed.tsx';
import { EnvelopeNote } from '#web/components/letter/envelope-note.tsx';
import { LetterBody } from '#web/components/letter/letter-body.tsx';
import { LetterSheet } from '#web/components/letter/letter-sheet.tsx';
import { PassphraseGate } from '#web/components/letter/passphrase-gate.tsx';
import { type SealedEnvelope, useSealedEnvelope } from '#web/components/letter/use-sealed-envelope.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { SupportLines } from '#web/components/ui/support-lines.tsx';
import { saveFile } from '#web/lib/api/download.ts';
import { idle } from '#web/lib/loading/idle.ts';
import { fetchQuietly, notFetched } from '#web/lib/loading/not-fetched.ts';
import type { OpenedLetter } from '#web/lib/sealing/letter-seal.ts';
import type { Packed } from '#web/lib/sealing/sealed-envelope.ts';
import { toast } from '#web/lib/toast.ts';
import { useTitle } from '#web/lib/use-title.ts';
import { DaysKept } from './days-kept.tsx';
import { copyHref, deliveredEnclosures, enclosedHref } from './letter-calls.ts';
import { OtherLetters } from './other-letters.tsx';
import { ReadersSay } from './readers-say.tsx';
import { WaitingLetters } from './waiting-letters.tsx';

/** The letter and nothing else; what the product has to say stands below it, quietly. */
export function Letter({ letter: delivered, token }: { letter: DeliveredMessage; token: string }) {
  const [opened, setOpened] = useState<OpenedLetter>();
  const envelope = useSealedEnvelope(enclosedHref(token), opened?.fileKey);
  const letter = {
    ...delivered,
    title: opened?.title ?? delivered.title,
    content: opened?.content ?? delivered.content,
    // Sealed with the words, it is nothing by itself.
    attachment: delivered.attachment && isSealedEnvelope(delivered.attachment) ? null : delivered.attachment,
  };
  const sealed = opened === undefined ? delivered.encryptedContent : null;
  // Not the one that was under the seal: the browser keeps the title of a page in its history.
  useTitle(delivered.title);
  return (
    <>
      <LetterSheet {...letter} heading="h1" writtenAt={letter.createdAt}>
        {sealed ? (
          <PassphraseGate sealed={sealed} onOpened={setOpened}>
            <p className="lead">
              <bdi>{letter.senderName}</bdi> sealed this letter with a passphrase that you would know. Nobody else can
              open it, and we do not know it.
            </p>
          </PassphraseGate>
        ) : (
          <LetterBody
            content={letter.content}
            enclosures={[...deliveredEnclosures(token, letter.enclosures), ...envelope.enclosures]}
            speaker={letter.senderName}
          />
        )}
        <EnvelopeNote {...envelope} />
        {envelope.file ? <Enclosed {...envelope.file} /> : null}
        {letter.attachment ? <Enclosed {...letter.attachment} href={enclosedHref(token)} /> : null}
      </LetterSheet>
      <OtherLetters {...letter} token={token} />
      <WaitingLetters waitsUntil={letter.waitsUntil} />
      <aside className="after noprint" aria-label="About this letter">
        {sealed ? null : <Keep letter={letter} token={token} envelope={envelope} />}
        {letter.said?.keptUntil ? null : <DaysKept expiresAt={letter.expiresAt} nowMs={Date.now()} />}
        <ReadersSay letter={letter} token={token} />
        <div className="help-line">
          <p>
            This message is deleted automatically after{' '}
            {letter.said?.keptUntil ? 'that day' : `${deliveryLinkDays} days`}. Save or print it to keep it.
          </p>
          <p>
            <SupportLines />
          </p>
          <p>
            <bdi>{letter.senderName}</bdi> asked <a href="/">{productName}</a> to send this letter.
          </p>
        </div>
      </aside>
    </>
  );
}

type KeepProps = { letter: DeliveredMessage; token: string; envelope: SealedEnvelope };

/** Code that makes a page of a letter. Only sealed letters need it. */
const fetchPage = () => import('./letter-page.ts');

/** A copy of the letter: of one that was sealed it is made here. */
function Keep({ letter, token, envelope }: KeepProps) {
  const isSealed = letter.encryptedContent !== null;
  useEffect(() => {
    if (isSealed) idle().then(() => fetchQuietly(fetchPage));
  }, [isSealed]);
  return (
    <div className="stack">
      {letter.pdfIsWhole === false ? (
        <p className="small">
          A PDF cannot show some characters of this letter. “Save as a web page” keeps all of them in one file, which
          any browser opens.
        </p>
      ) : null}
      <div className="btns">
        {isSealed ? (
          <Button
            variant="secondary"
            disabled={envelope.state === 'opening'}
            onClick={() => savePage(letter, envelope.packed)}
          >
            <Icon name="download" />
            Save a copy
          </Button>
        ) : (
          <a className="btn btn-2" href={copyHref(token)}>
            <Icon name="download" />
            Save a copy
          </a>
        )}
        {letter.pdfIsWhole === false ? (
          <a className="btn btn-2" href={copyHref(token, { as: 'page' })}>
            <Icon name="download" />
            Save as a web page
          </a>
        ) : null}
        <Button variant="secondary" className="needs-scripts" onClick={() => print()}>
          <Icon name="print" />
          Print
        </Button>
      </div>
    </div>
  );
}

/** Only this page can make a copy of a letter that was opened here. */
async function savePage(letter: DeliveredMessage, packed: readonly Packed[]): Promise<void> {
  const maker = await fetchPage().catch(() => null);
  if (!maker) {
    toast(notFetched);
    return;
  }
  const { asKept, letterAsPage, pageNameOf } = maker;
  const page = letterAsPage(letter, await Promise.all(packed.map(asKept)));
  saveFile(new Blob([page], { type: 'text/html;charset=utf-8' }), pageNameOf(letter));
}
