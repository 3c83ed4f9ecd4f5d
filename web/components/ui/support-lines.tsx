import { supportLines } from '#shared/support-lines.ts';

const { cruse, cruseScotland } = supportLines;

/** Both lines in one sentence, since the reader's country is unknown. */
export function SupportLines() {
  return (
    <>
      {cruse.name} listens, free, on <Phone number={cruse.phone} />. In Scotland, it is {cruseScotland.name},{' '}
      <Phone number={cruseScotland.phone} />.
    </>
  );
}

function Phone({ number }: { number: string }) {
  return (
    <a className="phone" href={`tel:${number.replaceAll(' ', '')}`}>
      {number}
    </a>
  );
}
