import { ButtonLink } from '#web/components/ui/button.tsx';
import { Drawing } from '#web/components/ui/drawing.tsx';
import { Mark } from '#web/components/ui/mark.tsx';
import { type ExampleStep, exampleLetter, exampleSteps } from '#web/content/landing.ts';

/** The promise, and a real picture of it: an opened letter, and the line of time that led to it. */
export function Hero() {
  return (
    <section className="hero">
      <div className="wrap hero-in">
        <h1>Your Digital Legacy, Protected&nbsp;Forever</h1>
        <div className="hero-say">
          <p className="lead">
            Write to the people you love, now. Your letters stay sealed while you are here. If you die, or fall silent
            for a long time, we make sure they arrive.
          </p>
          <div className="btns btns-stack">
            <ButtonLink size="big" href="/easy-setup">
              Start Your Vault (Free)
            </ButtonLink>
            <ButtonLink variant="text" size="big" href="#about">
              Tell Me More
            </ButtonLink>
          </div>
          <p className="small quiet">No credit card required • Start with our free plan</p>
        </div>
        <ExampleLetter />
        <section className="hero-time" aria-label="An example: from the last check-in to the letter">
          <h2>How this letter came</h2>
          <ol className="tl">
            {exampleSteps
              .filter(({ kind }) => kind === 'past')
              .map((step) => (
                <Step key={step.day} step={step} />
              ))}
            <li className="gap">
              <span className="it quiet">then nothing</span>
            </li>
            {exampleSteps
              .filter(({ kind }) => kind !== 'past')
              .map((step) => (
                <Step key={step.day} step={step} />
              ))}
          </ol>
        </section>
        <Drawing name="lamp-lit" />
      </div>
    </section>
  );
}

function Step({ step: { day, date, kind, text } }: { step: ExampleStep }) {
  return (
    <li className={kind}>
      <time dateTime={day}>{date}</time>
      <span className={kind === 'end' ? 'tl-w' : undefined}>{text}</span>
    </li>
  );
}

function ExampleLetter() {
  const { date, greeting, paragraphs, signature } = exampleLetter;
  return (
    <article className="hero-letter sheet folds" aria-label="An example letter">
      <div className="letter">
        <p className="date">{date}</p>
        <p>{greeting}</p>
        {paragraphs.map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
        <p className="sign">{signature}</p>
      </div>
      <i className="thread" />
      <Mark />
    </article>
  );
}
