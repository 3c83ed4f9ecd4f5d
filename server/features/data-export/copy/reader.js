(function() {
	// shared/rules/letter-seal.ts
	/** Rounds of PBKDF2 for a new letter, as OWASP asks for SHA-256: about a second on an old telephone. */
	var letterSealIterations = 6e5;
	/** Spaces, punctuation, standalone accents (typed for an apostrophe) and invisible characters. */
	var madeNoDifference = /[\s\p{P}\p{Sk}\p{Cc}\p{Cf}]/gu;
	/**
	* Passphrase as the key derivation uses it. People type it years after they heard it aloud. So capital letters,
	* spaces, punctuation and the composition of accents make no difference.
	*/
	function foldedPassphrase(typed) {
		return typed.replace(madeNoDifference, "").normalize("NFKC").toUpperCase().toLowerCase().replace(madeNoDifference, "").normalize("NFKC");
	}
	/** Passphrase as version 1 of the seal used it: runs of spaces become one, and punctuation stays. */
	function textSealPassphrase(typed) {
		return typed.normalize("NFKC").trim().replace(/\s+/gu, " ").toLowerCase();
	}
	// shared/rules/files.ts
	/** Allowed file extensions, each with the media type that we serve it as. */
	var fileTypes = {
		pdf: "application/pdf",
		doc: "application/msword",
		docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		txt: "text/plain",
		jpg: "image/jpeg",
		jpeg: "image/jpeg",
		png: "image/png",
		gif: "image/gif"
	};
	/** Kinds that are taken as well. The page does not list them: phones, scanners and other word processors make them. */
	var otherFileTypes = {
		rtf: "application/rtf",
		odt: "application/vnd.oasis.opendocument.text",
		webp: "image/webp",
		heic: "image/heic",
		heif: "image/heif",
		avif: "image/avif",
		tif: "image/tiff",
		tiff: "image/tiff"
	};
	/** Other endings of kinds that are taken. A file with one of them is kept under the ending on the right. */
	var otherEndings = {
		jpe: "jpg",
		jfif: "jpg",
		m4v: "mp4",
		"3gp": "mp4",
		"3g2": "mp4",
		qt: "mov",
		m4b: "m4a",
		"3ga": "m4a",
		oga: "ogg"
	};
	/** Further extensions for plans with video. */
	var videoTypes = {
		mp4: "video/mp4",
		webm: "video/webm",
		mov: "video/quicktime"
	};
	/** The last ending of a name, in lower case and without its dot; empty where there is none. */
	function extensionOf(name) {
		const dot = name.lastIndexOf(".");
		return dot < 0 ? "" : name.slice(dot + 1).toLowerCase();
	}
	/** Ending under which a file of this name is kept, if it is taken: another ending of the same kind is replaced. */
	function endingOf(name) {
		const extension = extensionOf(name);
		return Object.hasOwn(otherEndings, extension) ? otherEndings[extension] ?? extension : extension;
	}
	/** The type of an ending, or null for one that is not accepted on any plan. */
	function typeOfExtension(extension) {
		const types = {
			...fileTypes,
			...otherFileTypes,
			...videoTypes
		};
		return Object.hasOwn(types, extension) ? types[extension] ?? null : null;
	}
	// shared/rules/letters/enclosures.ts
	/** Enclosures of a letter, in addition to its one attachment. */
	var enclosureKinds = ["picture", "voice"];
	/** Allowed extensions of each kind, with the media type that we serve. */
	var enclosureTypes = {
		picture: {
			jpg: "image/jpeg",
			jpeg: "image/jpeg",
			png: "image/png",
			gif: "image/gif",
			webp: "image/webp"
		},
		voice: {
			mp3: "audio/mpeg",
			m4a: "audio/mp4",
			ogg: "audio/ogg",
			opus: "audio/ogg",
			webm: "audio/webm",
			wav: "audio/wav"
		}
	};
	/** Allowed extensions of an original, as the camera wrote it, with the media type. */
	var originalTypes = {
		...enclosureTypes.picture,
		heic: "image/heic",
		heif: "image/heif"
	};
	/** Kind of enclosure that a file name stands for; null for any other file. */
	function enclosureKindOf(name) {
		const extension = endingOf(name);
		return enclosureKinds.find((kind) => Object.hasOwn(enclosureTypes[kind], extension)) ?? null;
	}
	/** The type it is given out under; null for a name that is none of an enclosure. */
	function enclosureTypeOf(name) {
		const kind = enclosureKindOf(name);
		return (kind ? enclosureTypes[kind] : {})[endingOf(name)] ?? null;
	}
	/** The type under which the original of a picture is given out; null for a name that is none. */
	function originalTypeOf(name) {
		const extension = endingOf(name);
		const types = originalTypes;
		return Object.hasOwn(types, extension) ? types[extension] ?? null : null;
	}
	// shared/rules/letters/sealed-envelope.ts
	/** No other file is given out under it. */
	var sealedEnvelopeType = "application/octet-stream";
	/** First bytes of such a file: its type and the version of its seal. */
	var sealedEnvelopeMark = "EKSEAL1\n";
	/** AES-256-GCM seals so many bytes at a time, each piece with a tag of its own (NIST SP 800-38D). */
	var sealedSegmentBytes = 1048576;
	function isSealedEnvelope({ mimeType }) {
		return mimeType === sealedEnvelopeType;
	}
	/** Bytes of a sealed piece, unless it is the last. */
	var sealedPieceBytes = sealedSegmentBytes + 16;
	/** Sealed without content, to distinguish a wrong passphrase from a damaged page. */
	var checkItem = {
		name: "check",
		number: 0
	};
	/** Item with all text of the vault. */
	var copyDataName = "vault.json";
	/** First bytes of a file beside the page. */
	var furtherMark = "EKCOPY1\n";
	var lengthOfNumber = 4;
	/** Nonce of a piece. Bytes 0 to 3 are the number of its item, bytes 7 to 10 its own, and byte 11 marks the last piece. */
	function copyNonce({ item, piece, isLast }) {
		const nonce = /* @__PURE__ */ new Uint8Array(12);
		const view = new DataView(nonce.buffer);
		view.setUint32(0, item);
		view.setUint32(11 - lengthOfNumber, piece);
		view.setUint8(11, isLast ? 1 : 0);
		return nonce;
	}
	/** Bound into every piece of an item, so that none passes for a piece of another. */
	function copyPurpose(name) {
		return new TextEncoder().encode(`everkept copy 1 ${name}`);
	}
	// shared/rules/sizes.ts
	var bytesPerKilobyte = 1e3;
	/** A size as people say it, in decimal units: `812 bytes`, `4.2 KB`, `412.6 MB`, `5 GB`. */
	function fileSize(sizeBytes) {
		if (sizeBytes < bytesPerKilobyte) return `${sizeBytes} ${sizeBytes === 1 ? "byte" : "bytes"}`;
		const units = [
			"KB",
			"MB",
			"GB"
		];
		let value = sizeBytes / bytesPerKilobyte;
		let unit = 0;
		while (Math.round(value * 10) / 10 >= bytesPerKilobyte && unit < units.length - 1) {
			value /= bytesPerKilobyte;
			unit += 1;
		}
		return `${(Math.round(value * 10) / 10).toLocaleString("en-GB")} ${units[unit]}`;
	}
	// web/lib/sealing/can-seal.ts
	/** True if this browser can seal and open letters; it can't on a page that was not reached safely. */
	function canSealLetters() {
		return globalThis.crypto?.subtle !== void 0;
	}
	// shared/rules/first-weeks/notes.ts
	var firstWeeksNationNames = {
		"england-and-wales": "England and Wales",
		scotland: "Scotland",
		"northern-ireland": "Northern Ireland"
	};
	/** Fields of the form, in its order, with their labels in the form, on the page and in exports. */
	var firstWeeksLabels = {
		will: "Where the will is",
		solicitor: "Solicitor and executors",
		funeral: "Funeral wishes",
		people: "People to tell",
		pets: "Pets",
		gp: "GP",
		passport: "Passport and driving licence",
		home: "Landlord or mortgage",
		insurance: "Insurance",
		utilities: "Gas, electricity, water and phone",
		bank: "Bank",
		pension: "Pension",
		employer: "Employer",
		vehicles: "Vehicles",
		digital: "Accounts online"
	};
	var firstWeeksFields = Object.keys(firstWeeksLabels);
	({ ...Object.fromEntries(firstWeeksFields.map((field) => [field, null])) });
	/** Filled fields of the notes, with their labels. */
	function notedFields(notes) {
		const { nation } = notes;
		const where = nation ? [{
			label: "Law",
			words: firstWeeksNationNames[nation]
		}] : [];
		const noted = firstWeeksFields.flatMap((field) => {
			const words = notes[field];
			return words === null ? [] : [{
				label: firstWeeksLabels[field],
				words
			}];
		});
		return [...where, ...noted];
	}
	// web/content/checklists.ts
	/** Things to put in order while you can. One line, one act. */
	var checklists = [
		{
			id: "financial",
			title: "Financial",
			iconType: "financial",
			priority: "high",
			items: [
				"List your bank and savings accounts",
				"List your pensions, and fill in a nomination form for each",
				"Note your life cover and the policy numbers",
				"Note your mortgage or rent, and who it is paid to",
				"List your loans and credit cards",
				"List your shares, ISAs and Premium Bonds",
				"Note your benefits and your National Insurance number",
				"Put your tax papers together, with your tax reference",
				"Write down who owes you money, and how much",
				"Say where your signed will is, and who the executors are",
				"Say whether a power of attorney is registered, and where it is",
				"Note your solicitor, accountant or adviser"
			]
		},
		{
			id: "utilities",
			title: "Home and utilities",
			iconType: "utilities",
			priority: "medium",
			items: [
				"Note your gas and electricity supplier and account number",
				"Note your water supplier and account number",
				"Note your council tax account",
				"Note your broadband and home phone",
				"Note your mobile contract, and where the SIM PIN is kept",
				"List your TV licence and streaming services",
				"Note your home insurance, and that it must hear of an empty house",
				"Write where the meters, stopcock, fuse box and alarm are",
				"Note when the boiler and appliances were last serviced",
				"Put the car papers together: V5C, insurance, MOT, parking",
				"List your subscriptions",
				"Say who has keys, and how to redirect your post"
			]
		},
		{
			id: "contacts",
			title: "People to tell",
			iconType: "contacts",
			priority: "medium",
			items: [
				"Name your next of kin",
				"Name your executors, and tell them that you did",
				"Name your trusted contacts here",
				"Note your employer or business partner",
				"Note your GP, dentist and hospital teams",
				"Note your solicitor",
				"List the close friends who should hear first",
				"Note the neighbours who have keys",
				"Note your faith or community leader",
				"Name guardians for your children, and note schools and carers",
				"Name who would look after your pets, and the vet",
				"List your clubs, your landlord or your tenants"
			]
		},
		{
			id: "funeral",
			title: "Funeral wishes",
			iconType: "funeral",
			priority: "high",
			items: [
				"Say whether you want a burial, a cremation or something else",
				"Note your funeral plan: the firm and the number",
				"Say who should lead the funeral",
				"Choose a place, and note what your faith needs",
				"Choose music and readings",
				"Say what to wear, and whether you want flowers or gifts to charity",
				"List who must be told, and who should not be",
				"Write a few lines for a notice, and choose a photograph",
				"Say what should happen to your ashes or on your grave",
				"Decide about organ, tissue or body donation, and tell your family",
				"Set a budget, and say where the money is",
				"Tell somebody where this note is kept"
			]
		},
		{
			id: "digital",
			title: "Digital life",
			iconType: "digital",
			priority: "high",
			items: [
				"Name your main email account: it opens all the others",
				"Say where the way to unlock your phone and computer is kept",
				"Set up emergency access in your password manager",
				"Name a Legacy Contact with Apple",
				"Set up the Inactive Account Manager with Google",
				"Name a legacy contact with Facebook",
				"Say where your photographs and files are stored",
				"List your domain names and websites",
				"Say whether you own crypto, and who could help",
				"List your online shops, points and balances",
				"List work accounts that must be handed over",
				"Say what should be deleted unread"
			]
		}
	];
	// web/features/guidance/checklist.rules.ts
	/** The items of a checklist as a person sees them: the usual ones that were not taken off, then their own. */
	function shownItems(usual, state) {
		const takenOff = new Set(state.customItems.filter(({ isListed }) => !isListed).map(({ text }) => text));
		const own = state.customItems.filter(({ text, isListed }) => isListed && !usual.includes(text));
		const completed = new Set(state.completedItems.filter(({ isCompleted }) => isCompleted).map(({ text }) => text));
		return [...usual.filter((text) => !takenOff.has(text)), ...own.map(({ text }) => text)].map((text) => ({
			text,
			isCompleted: completed.has(text)
		}));
	}
	// web/copy-page/elements.ts
	/** An element with attributes and children. Text of people only ever becomes a text node. */
	function element(tag, attributes = {}, ...children) {
		const made = document.createElement(tag);
		for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
		made.append(...children.filter((child) => child !== null));
		return made;
	}
	/** The first comment of a page. In a copy it says how another program opens the file. */
	function firstCommentOf(page) {
		return page.createNodeIterator(page, NodeFilter.SHOW_COMMENT).nextNode()?.textContent?.trim() ?? "";
	}
	/** A line beside the words of a letter. */
	function quiet(words) {
		return element("p", {
			class: "facts",
			dir: "auto"
		}, words);
	}
	/** Lines with breaks between them. */
	function lined(lines) {
		return lines.flatMap((line, index) => index === 0 ? [line] : [element("br"), line]);
	}
	/** A button that works once at a time, and says beside itself if it failed. */
	function pressButton(words, press, isPlain = true) {
		const button = element("button", {
			type: "button",
			...isPlain ? { class: "plain" } : {}
		}, words);
		const said = element("p", {
			class: "said",
			role: "status",
			hidden: ""
		});
		button.addEventListener("click", async () => {
			button.disabled = true;
			said.hidden = true;
			try {
				await press();
			} catch (error) {
				said.textContent = sentenceOf(error);
				said.hidden = false;
			}
			button.disabled = false;
		});
		return element("div", { class: "press" }, button, said);
	}
	/** An error with a sentence for the reader. */
	var ReaderError = class extends Error {};
	function sentenceOf(error) {
		if (error instanceof ReaderError) return error.message;
		if (error instanceof Error && error.name === "DamagedError") return "This part is damaged in this file. Another copy of the file may have it whole.";
		return "This could not be shown. Try another browser.";
	}
	// web/copy-page/files.ts
	var plain = "application/octet-stream";
	/** Pictures begin to open so far before they are seen. */
	var aheadOfView = "1500px";
	var opening = /* @__PURE__ */ new WeakMap();
	var observer = "IntersectionObserver" in globalThis ? new IntersectionObserver((entries) => entries.forEach(openSeen), { rootMargin: aheadOfView }) : null;
	function openSeen({ isIntersecting, target }) {
		if (!isIntersecting) return;
		observer?.unobserve(target);
		opening.get(target)?.();
	}
	/** Type by the ending alone, and only of kinds that run nothing. */
	function mediaTypeOf(name) {
		const type = enclosureTypeOf(name) ?? typeOfExtension(extensionOf(name));
		return type && /^(?:image|audio|video)\//.test(type) ? type : null;
	}
	/** A picture that opens near the view, a recording or film behind a button, and a button to save any file. */
	function fileElements(file) {
		const type = mediaTypeOf(file.name);
		const words = file.caption ? [quiet(file.caption)] : [];
		if (type?.startsWith("image/")) return [pictureOf(file, type), saveButton(file)];
		return [
			...words,
			...type ? [playerOf(file, type)] : [],
			saveButton(file)
		];
	}
	/** Opens all pictures, to print them. */
	async function openAllPictures(within) {
		for (const figure of within.querySelectorAll("figure")) {
			if (!figure.hasAttribute("data-waits")) continue;
			const shown = new Promise((resolve) => figure.addEventListener("shown", resolve, { once: true }));
			opening.get(figure)?.();
			await shown;
		}
	}
	function pictureOf({ name, caption = "", open }, type) {
		const figure = element("figure", { "data-waits": "" }, quiet(name));
		const words = caption === "" ? null : element("figcaption", { dir: "auto" }, caption);
		const settle = (...shown) => {
			figure.replaceChildren(...[...shown, words].filter((one) => one !== null));
			figure.removeAttribute("data-waits");
			figure.dispatchEvent(new Event("shown"));
		};
		opening.set(figure, async () => {
			opening.set(figure, () => void 0);
			try {
				const image = element("img", { alt: caption || name });
				image.addEventListener("load", () => settle(image), { once: true });
				image.addEventListener("error", () => settle(quiet(`${name} can be saved, but not shown here.`)), { once: true });
				image.src = URL.createObjectURL(new Blob([await open()], { type }));
			} catch {
				settle(quiet(`${name} could not be opened.`));
			}
		});
		observer?.observe(figure);
		return figure;
	}
	function playerOf({ name, sizeBytes, open }, type) {
		const isFilm = type.startsWith("video/");
		const place = element("div");
		const press = async () => {
			const player = element(isFilm ? "video" : "audio", {
				controls: "",
				"aria-label": name
			});
			player.src = URL.createObjectURL(new Blob([await open()], { type }));
			place.replaceChildren(player);
			player.focus();
		};
		place.append(pressButton(`${isFilm ? "Watch" : "Listen to"} ${name} (${fileSize(sizeBytes)})`, press, false));
		return place;
	}
	function saveButton({ name, sizeBytes, open }) {
		return pressButton(`Save ${name} (${fileSize(sizeBytes)})`, async () => saveBlob(await open(), name));
	}
	/** Under a type that no browser opens as a page. */
	function saveBlob(content, name) {
		const href = URL.createObjectURL(new Blob([content], { type: plain }));
		element("a", {
			href,
			download: name
		}).click();
		setTimeout(() => URL.revokeObjectURL(href), 6e4);
	}
	/** Said in place of content that the copy does not have. */
	function notHere(words) {
		return () => Promise.reject(new ReaderError(words));
	}
	// shared/rules/letters/paragraphs.ts
	var signatureLengthMax = 32;
	/** Splits a text at blank lines. A single line break stays inside its paragraph. */
	function paragraphsOf(content) {
		const blocks = content.replace(/\r\n?/g, "\n").split(/\n[^\S\n]*(?:\n[^\S\n]*)+/).map((block) => block.replace(/^\n+/, "").trimEnd()).filter((block) => block.trim() !== "");
		return blocks.map((block, index) => ({
			lines: block.split("\n"),
			isSignature: index > 0 && index === blocks.length - 1 && isName(block)
		}));
	}
	/** True for a short line that ends without a stop. A wrong guess only changes the style of the line. */
	function isName(block) {
		return block.length <= signatureLengthMax && !block.includes("\n") && !/[.,:;!?…"”’)\d]$/.test(block);
	}
	// web/lib/format.ts
	var timeZone = "Europe/London";
	var longFormat = new Intl.DateTimeFormat("en-GB", {
		day: "numeric",
		month: "long",
		year: "numeric",
		timeZone
	});
	new Intl.DateTimeFormat("en-GB", {
		day: "numeric",
		month: "short",
		year: "numeric",
		timeZone
	});
	new Intl.DateTimeFormat("en-GB", {
		day: "numeric",
		month: "long",
		timeZone
	});
	new Intl.DateTimeFormat("en-GB", {
		hour: "numeric",
		minute: "2-digit",
		timeZone
	});
	new Intl.DateTimeFormat("en-GB", {
		day: "2-digit",
		month: "2-digit",
		year: "numeric",
		timeZone
	});
	/** `20 November 2026`, as the calendar in London has it. */
	function longDate(moment) {
		return longFormat.format(new Date(moment));
	}
	// web/lib/sealing/base64url.ts
	/** Reads plain base64 (RFC 4648 §4) as well. */
	function fromBase64Url(text) {
		const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
		const bytes = new Uint8Array(letters.length);
		for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
		return bytes;
	}
	// web/lib/sealing/letter-seal.ts
	/** Bound into every seal, so that data sealed for another purpose or in another version does not open as a letter. */
	function purposeOf(version) {
		return new TextEncoder().encode(`everkept letter ${version}`);
	}
	/** Content of a sealed letter; null for a wrong passphrase. */
	async function openLetter(sealed, passphrase) {
		const { version, iterations } = sealed;
		const key = await passphraseKey(version === 1 ? textSealPassphrase(passphrase) : foldedPassphrase(passphrase), {
			salt: fromBase64Url(sealed.salt),
			iterations
		});
		const how = {
			name: "AES-GCM",
			iv: fromBase64Url(sealed.nonce),
			additionalData: purposeOf(version)
		};
		try {
			const inside = await crypto.subtle.decrypt(how, key, fromBase64Url(sealed.ciphertext));
			return insideOf(version, new TextDecoder().decode(inside));
		} catch (error) {
			if (error instanceof Error && error.name === "OperationError") return null;
			throw error;
		}
	}
	/** Content sealed by a foreign program is shown as it is, rather than hidden from its reader. */
	function insideOf(version, text) {
		if (version === 1) return {
			title: null,
			content: text
		};
		try {
			const { title, content, fileKey } = JSON.parse(text);
			if (typeof title === "string" && typeof content === "string") return {
				title,
				content,
				...typeof fileKey === "string" ? { fileKey } : {}
			};
		} catch {}
		return {
			title: null,
			content: text
		};
	}
	/** Key from a folded passphrase, to seal and to open. */
	async function passphraseKey(folded, { salt, iterations }) {
		const bytes = new TextEncoder().encode(folded);
		const material = await crypto.subtle.importKey("raw", bytes, "PBKDF2", false, ["deriveKey"]);
		const aes = {
			name: "AES-GCM",
			length: 256
		};
		const how = {
			name: "PBKDF2",
			hash: "SHA-256",
			salt,
			iterations
		};
		return crypto.subtle.deriveKey(how, material, aes, false, ["encrypt", "decrypt"]);
	}
	// web/lib/sealing/sealed-envelope.ts
	var tagBytes = 16;
	var nonceBytes = 12;
	var lengthBytes = 4;
	var purpose = new TextEncoder().encode("everkept envelope 1");
	var mark = new TextEncoder().encode(sealedEnvelopeMark);
	/**
	* Content of a sealed envelope. Each file gets the type of its extension only, because the service never checked
	* sealed content.
	*
	* @throws Error if it is incomplete, or not sealed under this key.
	*/
	async function openEnvelope(sealed, fileKey) {
		const key = await keyOf(fromBase64Url(fileKey), "decrypt");
		const begins = new Uint8Array(await sealed.slice(0, mark.length).arrayBuffer());
		if (!mark.every((byte, index) => begins[index] === byte)) throw new Error("This is no sealed envelope.");
		const body = sealed.slice(mark.length);
		const pieceBytes = sealedSegmentBytes + tagBytes;
		const opened = [];
		for (let number = 0; number === 0 || number * pieceBytes < body.size; number += 1) {
			const from = number * pieceBytes;
			const piece = await body.slice(from, from + pieceBytes).arrayBuffer();
			const isLast = from + pieceBytes >= body.size;
			opened.push(new Blob([await crypto.subtle.decrypt(howOf(number, isLast), key, piece)]));
		}
		return unpack(new Blob(opened));
	}
	async function unpack(whole) {
		let at = lengthBytes + new DataView(await whole.slice(0, lengthBytes).arrayBuffer()).getUint32(0);
		const list = new TextDecoder().decode(await whole.slice(lengthBytes, at).arrayBuffer());
		return JSON.parse(list).map(({ name, sizeBytes, ...words }) => {
			const file = new File([whole.slice(at, at + sizeBytes)], name, { type: typeOf(words.kind, name) });
			at += sizeBytes;
			return {
				...words,
				file
			};
		});
	}
	/** Whatever its writer's browser called it: a page or a script must never open under our own address. */
	function typeOf(kind, name) {
		return (kind === "file" ? typeOfExtension(extensionOf(name)) : kind === "original" ? originalTypeOf(name) : enclosureTypeOf(name)) ?? "application/octet-stream";
	}
	function keyOf(raw, use) {
		return crypto.subtle.importKey("raw", raw, "AES-GCM", false, [use]);
	}
	function howOf(number, isLast) {
		const nonce = /* @__PURE__ */ new DataView(/* @__PURE__ */ new ArrayBuffer(nonceBytes));
		nonce.setUint32(7, number);
		nonce.setUint8(11, isLast ? 1 : 0);
		return {
			name: "AES-GCM",
			iv: nonce.buffer,
			additionalData: purpose
		};
	}
	// web/copy-page/letters.ts
	/** A letter as it was written, with everything in its envelope. */
	function letterElement(letter, id, drawing) {
		const { title, recipients, createdAt, status, deliveredAt, encryptedContent, problem } = letter;
		const whom = recipients.map(({ name, email }) => name === null ? email : `${name} (${email})`).join(", ");
		const fate = deliveredAt ? `delivered ${longDate(deliveredAt)}` : status === "ready" ? "ready to send" : "a draft";
		const facts = [
			whom && `For ${whom}`,
			`written ${longDate(createdAt)}`,
			fate
		].filter(Boolean).join(" · ");
		const heading = element("h3", {
			dir: "auto",
			tabindex: "-1"
		}, title);
		const body = element("div");
		if (problem) body.append(quiet("The words of this letter were damaged where they were kept."));
		else if (encryptedContent) body.append(sealedForm(letter, {
			body,
			heading,
			drawing
		}));
		else body.append(...written(letter, drawing));
		return element("article", { id }, heading, quiet(facts), body);
	}
	function written(letter, { draw }) {
		const { content, enclosures, attachment, attachmentTranscript } = letter;
		const placed = enclosures.map(({ file, original, caption, transcript, afterParagraph }) => ({
			afterParagraph,
			elements: [
				...draw(file, caption),
				...wordsOf(transcript),
				...original ? draw(original) : []
			]
		}));
		const enclosed = attachment ? [...draw(attachment), ...wordsOf(attachmentTranscript ?? "")] : [];
		return [...withPlaced(content, placed), ...enclosed];
	}
	/** Paragraphs, each followed by the pictures placed after it. An unknown place is the end. */
	function withPlaced(content, placed) {
		const paragraphs = paragraphsOf(content).map(({ lines }) => element("p", { dir: "auto" }, ...lined(lines)));
		const at = (place) => placed.filter(({ afterParagraph: after }) => (after !== null && after <= paragraphs.length ? after : null) === place).flatMap(({ elements }) => elements);
		return [
			...at(0),
			...paragraphs.flatMap((paragraph, index) => [paragraph, ...at(index + 1)]),
			...at(null)
		];
	}
	function wordsOf(transcript) {
		return paragraphsOf(transcript).map(({ lines }) => element("p", {
			class: "facts",
			dir: "auto"
		}, ...lined(lines)));
	}
	/** A letter with a passphrase of its own stays sealed until that is typed. */
	function sealedForm(letter, place) {
		const { encryptedContent: sealed } = letter;
		const input = element("input", {
			type: "text",
			autocomplete: "off",
			autocapitalize: "none",
			spellcheck: "false"
		});
		const open = async () => {
			const opened = sealed && await openLetter(sealed, input.value);
			if (!opened) throw new ReaderError("This passphrase does not open this letter. Check it and try again.");
			if (opened.title !== null) place.heading.textContent = opened.title;
			place.body.replaceChildren(...await unsealed(letter, opened, place.drawing));
			place.heading.focus();
		};
		const press = pressButton("Open this letter", open, false);
		const form = element("form", {}, element("p", {}, "This letter has a passphrase of its own, which its writer chose. It is not the one of this file."), sealed?.hint ? element("p", { dir: "auto" }, `The writer’s hint: ${sealed.hint}`) : null, element("label", {}, "Passphrase of this letter", input), press);
		form.addEventListener("submit", (event) => {
			event.preventDefault();
			press.querySelector("button")?.click();
		});
		return form;
	}
	async function unsealed(letter, { content, fileKey }, drawing) {
		const { attachment } = letter;
		if (!attachment || !fileKey || !isSealedEnvelope(attachment)) return [...withPlaced(content, []), ...attachment ? drawing.draw(attachment) : []];
		try {
			return withPlaced(content, (await openEnvelope(await drawing.open(attachment), fileKey)).map(({ file, caption, transcript, afterParagraph }) => ({
				afterParagraph,
				elements: [...fileElements({
					name: file.name,
					sizeBytes: file.size,
					caption,
					open: () => Promise.resolve(file)
				}), ...wordsOf(transcript)]
			})));
		} catch {
			const words = attachment.further ? "Its envelope is in a file beside this page. Choose that file above, then open this letter again." : "The contents of its envelope could not be opened.";
			return [...withPlaced(content, []), quiet(words)];
		}
	}
	// web/copy-page/open-copy.ts
	/** Content that is cut, changed or rearranged. */
	var DamagedError = class extends Error {
		name = "DamagedError";
	};
	/** Bytes of base64. Damaged text has none and so opens nothing: a wrong character costs one item, and not the page. */
	function bytesIn(text) {
		try {
			return fromBase64Url(text);
		} catch {
			return /* @__PURE__ */ new Uint8Array();
		}
	}
	/** Key of a page; null for a wrong passphrase. @throws DamagedError for a page of another kind. */
	async function openSeal({ format, version, iterations, salt, check }, passphrase) {
		if (format !== "everkept-copy" || version !== 1) throw new DamagedError("Another format");
		const key = await passphraseKey(foldedPassphrase(passphrase), {
			salt: fromBase64Url(salt),
			iterations
		});
		const number = {
			item: checkItem.number,
			piece: 0,
			isLast: true
		};
		return await openPiece(key, checkItem.name, number, fromBase64Url(check)) && key;
	}
	/** Content of an item of the page. @throws DamagedError if any piece is missing, moved or changed. */
	async function openItem(key, name, items) {
		const pieces = items.get(name) ?? [];
		const first = bytesIn(pieces[0]?.nonce ?? "");
		const item = first.length === 12 ? new DataView(first.buffer).getUint32(0) : 0;
		const opened = [];
		for (const [piece, { nonce, sealed }] of pieces.entries()) {
			const number = {
				item,
				piece,
				isLast: piece === pieces.length - 1
			};
			if (!isSame(copyNonce(number), bytesIn(nonce))) throw new DamagedError(name);
			opened.push(await openedPiece(key, name, number, sealed));
		}
		if (opened.length === 0) throw new DamagedError(name);
		return new Blob(opened);
	}
	/** Finds which of the named files this is, under whatever name it was saved; null if it is none of them. */
	async function recogniseFurther(file, names, passphrase) {
		const mark = new TextEncoder().encode(furtherMark);
		const start = mark.length + 16;
		const head = new Uint8Array(await file.slice(0, start).arrayBuffer());
		if (!isSame(mark, head.subarray(0, mark.length))) return null;
		const key = await passphraseKey(foldedPassphrase(passphrase), {
			salt: head.slice(mark.length),
			iterations: letterSealIterations
		});
		const body = file.slice(start);
		const first = new Uint8Array(await body.slice(0, sealedPieceBytes).arrayBuffer());
		const number = {
			item: 0,
			piece: 0,
			isLast: body.size <= sealedPieceBytes
		};
		for (const name of names) if (await openPiece(key, name, number, first)) return {
			name,
			key,
			body
		};
		return null;
	}
	/** Content of a file beside the page. @throws DamagedError if any piece is missing, moved or changed. */
	async function openFurther({ name, key, body }) {
		const opened = [];
		for (let at = 0; at < body.size; at += sealedPieceBytes) {
			const number = {
				item: 0,
				piece: opened.length,
				isLast: at + sealedPieceBytes >= body.size
			};
			opened.push(await openedPiece(key, name, number, body.slice(at, at + sealedPieceBytes)));
		}
		return new Blob(opened);
	}
	async function openedPiece(key, name, number, sealed) {
		const bytes = await openPiece(key, name, number, new Uint8Array(await sealed.arrayBuffer()));
		if (!bytes) throw new DamagedError(name);
		return new Blob([bytes]);
	}
	async function openPiece(key, name, number, sealed) {
		const how = {
			name: "AES-GCM",
			iv: copyNonce(number),
			additionalData: copyPurpose(name)
		};
		try {
			return await crypto.subtle.decrypt(how, key, sealed);
		} catch (error) {
			if (error instanceof Error && error.name === "OperationError") return null;
			throw error;
		}
	}
	function isSame(one, other) {
		return one.length === other.length && one.every((byte, index) => other[index] === byte);
	}
	// web/copy-page/vault.ts
	/** All files that stand beside the page. */
	function furtherFilesOf({ messages, documents }) {
		return [...messages.flatMap(({ attachment, enclosures }) => [attachment, ...enclosures.flatMap(({ file, original }) => [file, original])]), ...documents.map(({ file }) => file)].filter((file) => file?.further !== void 0);
	}
	// web/copy-page/draw-vault.ts
	var problems = {
		missing: "This file was missing when the copy was made.",
		damaged: "This file was damaged when the copy was made."
	};
	var leftOut = "This file was left out when the copy was made.";
	var choose = "This file is beside this page. Choose it above first.";
	/** The whole vault, for reading. `text` is vault.json itself. */
	function vaultElements(vault, text, opened) {
		const drawing = drawingOf(opened);
		const letters = vault.messages.map((letter, index) => letterElement(letter, `letter-${index + 1}`, drawing));
		const further = furtherFilesOf(vault);
		const all = element("div");
		all.append(...further.length > 0 ? [furtherBox(further, opened)] : [], contents(vault), section("letters", "Letters", letters, "There are no letters."), section("documents", "Documents", documentsOf(vault, drawing), "There are no documents."), section("contacts", "Trusted contacts", contactsOf(vault), "There are no trusted contacts."), section("wishes", "Wishes and notes", wishesOf(vault), "There are no notes."), element("div", { class: "box" }, quiet("All words and records of the vault, as a file for programs. Everkept can import it. It has no files in it."), saveButton({
			name: "vault.json",
			sizeBytes: text.size,
			open: () => Promise.resolve(text)
		}), pressButton("Show all pictures and print", async () => {
			await openAllPictures(all);
			window.print();
		})));
		return [all];
	}
	function drawingOf(opened) {
		const open = ({ file, further, problem }) => {
			if (further !== void 0) {
				const chosen = opened.further.get(further);
				return chosen ? openFurther(chosen) : notHere(choose)();
			}
			if (file === void 0) return notHere(problem ? problems[problem] : leftOut)();
			return openItem(opened.key, file, opened.items);
		};
		return {
			open,
			draw: (file, caption = "") => {
				const { name, sizeBytes, problem } = file;
				if (file.file !== void 0 && problem === void 0 || file.further !== void 0) return fileElements({
					name,
					sizeBytes,
					caption,
					open: () => open(file)
				});
				return [quiet(`${name}: ${problem ? problems[problem] : leftOut}`), ...caption === "" ? [] : [quiet(caption)]];
			}
		};
	}
	/** Takes files beside the page, under whatever names they were saved. */
	function furtherBox(files, opened) {
		const input = element("input", {
			type: "file",
			multiple: "",
			id: "further"
		});
		const said = element("p", {
			class: "said",
			role: "status"
		});
		const tell = (strangers) => {
			const waiting = files.filter(({ further }) => !opened.further.has(further));
			const unknown = strangers === 0 ? "" : " A file that you chose is none of them.";
			said.textContent = `${waiting.length === 0 ? "All of them are here now." : `Still to choose: ${waiting.map(({ name }) => name).join(", ")}.`}${unknown}`;
		};
		input.addEventListener("change", async () => {
			let strangers = 0;
			said.textContent = "Looking at the files…";
			for (const file of input.files ?? []) {
				const found = await recogniseFurther(file, files.map(({ further }) => further), opened.passphrase);
				if (found) opened.further.set(found.name, found);
				else strangers += 1;
			}
			tell(strangers);
		});
		tell(0);
		const list = files.map(({ name, sizeBytes, further }) => element("li", {}, element("bdi", {}, name), ` (${fileSize(sizeBytes)}), in the file whose name ends in ${further}.sealed`));
		return element("div", { class: "box" }, element("p", {}, "Large files were saved beside this page, sealed with the same passphrase:"), element("ul", {}, ...list), element("label", { for: "further" }, "Choose those files"), input, said);
	}
	function contents({ messages }) {
		const links = messages.map(({ title, recipients }, index) => element("li", {}, element("a", {
			href: `#letter-${index + 1}`,
			dir: "auto"
		}, title), element("span", {}, recipients.map(({ name, email }) => name ?? email).join(", "))));
		return element("div", {}, element("nav", { "aria-label": "Contents" }, ...[
			["letters", "Letters"],
			["documents", "Documents"],
			["contacts", "Trusted contacts"],
			["wishes", "Wishes and notes"]
		].map(([id, name]) => element("a", { href: `#${id}` }, name))), links.length > 1 ? element("ul", { class: "list" }, ...links) : null);
	}
	function section(id, title, content, none) {
		const heading = element("h2", { id }, title);
		return element("section", { "aria-labelledby": id }, heading, ...content.length > 0 ? content : [quiet(none)]);
	}
	function documentsOf({ documents }, { draw }) {
		return documents.map(({ name, category, description, file, problem }) => element("article", {}, element("h3", { dir: "auto" }, name), quiet(category.charAt(0).toUpperCase() + category.slice(1)), description === null ? null : element("p", { dir: "auto" }, description), problem ? quiet("Its words were damaged where they were kept.") : null, ...draw(file)));
	}
	function contactsOf({ contacts }) {
		const rows = contacts.map(({ name, email, phone, relationship, isConfirmed }) => {
			const facts = [
				relationship,
				email,
				phone,
				isConfirmed ? "has accepted" : "has not accepted"
			].filter(Boolean);
			return element("li", {}, element("b", { dir: "auto" }, name), element("br"), facts.join(" · "));
		});
		return rows.length > 0 ? [element("ul", {}, ...rows)] : [];
	}
	function wishesOf({ firstWeeks, checklists: kept }) {
		const notes = firstWeeks.flatMap(notedFields).map(({ label, words }) => element("li", {}, element("b", {}, label), element("br"), element("span", { dir: "auto" }, words)));
		const lists = kept.map((state) => {
			const list = checklists.find(({ id }) => id === state.checklistId);
			const items = shownItems(list?.items ?? [], state).map(({ text, isCompleted }) => element("li", { dir: "auto" }, `${isCompleted ? "☑" : "☐"} ${text}`));
			return element("article", {}, element("h3", {}, list?.title ?? state.checklistId), element("ul", {}, ...items));
		});
		return [...notes.length > 0 ? [element("ul", {}, ...notes)] : [], ...lists];
	}
	// web/copy-page/pieces.ts
	var blocks = "script[data-nonce]";
	/**
	* Takes the sealed pieces out of the page while it is read, so that a browser keeps none of them as text. A piece is
	* complete once something follows it. `isWhole` is true if the page came to its end.
	*/
	function takePieces(page, onBytes) {
		const items = /* @__PURE__ */ new Map();
		let bytes = 0;
		const take = (isComplete) => {
			const bytesBefore = bytes;
			for (const block of page.querySelectorAll(blocks)) {
				if (!isComplete && !block.nextElementSibling) break;
				const { name = "", nonce = "" } = block.dataset;
				const sealed = new Blob([bytesIn((block.textContent ?? "").trim())]);
				bytes += sealed.size;
				const pieces = items.get(name) ?? [];
				pieces.push({
					nonce,
					sealed
				});
				items.set(name, pieces);
				block.remove();
			}
			if (bytes > bytesBefore) onBytes(bytes);
		};
		const observer = new MutationObserver(() => take(false));
		observer.observe(page, {
			childList: true,
			subtree: true
		});
		return new Promise((resolve) => {
			const end = () => {
				observer.disconnect();
				take(true);
				resolve({
					items,
					isWhole: page.getElementById("end") !== null
				});
			};
			if (page.readyState === "loading") page.addEventListener("DOMContentLoaded", end);
			else end();
		});
	}
	// web/copy-page/main.ts
	var at = (id) => document.getElementById(id);
	var form = at("form");
	var input = at("passphrase");
	var press = at("open");
	var said = at("said");
	var wrong = "This passphrase does not open this file. Check the spelling and try again.";
	var cut = "This file is incomplete: its end is missing. Copy it again from where you have it.";
	var cannotOpen = "This browser can’t open sealed files. Try a newer browser. Or read the first lines of this file in a text editor: they say how to open it with another program.";
	async function open(items) {
		const key = await openSeal(JSON.parse(at("seal").textContent ?? ""), input.value);
		if (!key) {
			said.textContent = wrong;
			input.select();
			return;
		}
		const text = await openItem(key, copyDataName, items);
		const vault = JSON.parse(await text.text());
		const { firstName, lastName, email } = vault.account;
		const owner = [firstName, lastName].filter(Boolean).join(" ") || email;
		const title = at("title");
		title.textContent = `The vault of ${owner}`;
		const opened = {
			key,
			items,
			passphrase: input.value,
			further: /* @__PURE__ */ new Map()
		};
		at("vault").append(...vaultElements(vault, text, opened));
		at("vault").hidden = false;
		form.remove();
		title.tabIndex = -1;
		title.focus();
	}
	async function begin() {
		at("how").textContent = firstCommentOf(document);
		at("show").addEventListener("change", ({ target }) => {
			input.type = target.checked ? "text" : "password";
		});
		let isReady = false;
		let items = /* @__PURE__ */ new Map();
		form.addEventListener("submit", async (event) => {
			event.preventDefault();
			if (!isReady || press.disabled) return;
			press.disabled = true;
			said.textContent = "Opening…";
			await open(items).catch((error) => {
				said.textContent = sentenceOf(error);
			});
			press.disabled = false;
		});
		const taken = await takePieces(document, (bytes) => {
			said.textContent = `Reading the file, ${fileSize(bytes)} so far…`;
		});
		items = taken.items;
		if (!canSealLetters()) said.textContent = cannotOpen;
		else if (taken.isWhole) {
			isReady = true;
			said.textContent = "";
			press.disabled = false;
		} else said.textContent = cut;
	}
	begin();
})();
