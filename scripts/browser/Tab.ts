/** One tab of a browser: where it is, what it shows, what it asked for, and what it complained about. */
type Send = (method: string, params?: object) => Promise<object>

interface Evaluated {
  readonly result: { readonly value?: unknown; readonly description?: string }
  readonly exceptionDetails?: {
    readonly text: string
    readonly exception?: { readonly description?: string }
  }
}

export interface Viewport {
  readonly width: number
  readonly height: number
  readonly scale?: number
}

/** What the protocol calls the keys that tests press. */
const keys: Readonly<Record<string, { readonly code: number; readonly text?: string }>> = {
  Tab: { code: 9 },
  Enter: { code: 13, text: "\r" },
  Escape: { code: 27 },
  " ": { code: 32, text: " " },
  PageUp: { code: 33 },
  PageDown: { code: 34 },
  End: { code: 35 },
  Home: { code: 36 },
  ArrowLeft: { code: 37 },
  ArrowUp: { code: 38 },
  ArrowRight: { code: 39 },
  ArrowDown: { code: 40 }
}

const SHIFT = 8

export class Tab {
  /** The addresses of all that was asked for. */
  readonly requests: Array<string> = []
  /** Errors and warnings of the console, exceptions, and what the policy of the page forbade. */
  readonly complaints: Array<string> = []
  /** The documents that have loaded, by the names that the browser gives them. */
  private readonly loaded = new Set<string>()
  private heardLoaded: () => void = () => {}

  constructor(
    readonly send: Send,
    readonly close: () => Promise<void>
  ) {}

  async begin(): Promise<void> {
    for (const domain of ["Page", "Runtime", "Network", "Log"]) await this.send(`${domain}.enable`)
    await this.send("Page.setLifecycleEventsEnabled", { enabled: true })
  }

  hear(method: string, params: object): void {
    const said = params as {
      readonly name?: string
      readonly loaderId?: string
      readonly request?: { readonly url: string }
      readonly type?: string
      readonly args?: ReadonlyArray<{ readonly value?: unknown; readonly description?: string }>
      readonly entry?: { readonly level: string; readonly text: string }
      readonly exceptionDetails?: Evaluated["exceptionDetails"]
    }
    if (method === "Network.requestWillBeSent") this.requests.push(said.request?.url ?? "")
    if (method === "Network.webSocketCreated") this.requests.push("a web socket")
    if (method === "Page.lifecycleEvent" && said.name === "load") {
      this.loaded.add(said.loaderId ?? "")
      this.heardLoaded()
    }
    if (method === "Runtime.exceptionThrown") {
      this.complaints.push(said.exceptionDetails?.exception?.description ?? said.exceptionDetails?.text ?? "")
    }
    if (method === "Runtime.consoleAPICalled" && /^(?:error|warning|assert)$/.test(said.type ?? "")) {
      this.complaints.push(
        (said.args ?? []).map(({ description, value }) => String(value ?? description)).join(" ")
      )
    }
    if (method === "Log.entryAdded" && said.entry !== undefined && said.entry.level !== "verbose") {
      this.complaints.push(said.entry.text)
    }
  }

  /** Settles when one of the documents that are meant has loaded, be it by now: until then the one before it answers. */
  private async loading(isMeant: (document: string) => boolean): Promise<void> {
    while (![...this.loaded].some(isMeant)) {
      await new Promise<void>((done) => {
        this.heardLoaded = done
      })
    }
  }

  async open(url: string): Promise<void> {
    const { errorText, loaderId } = (await this.send("Page.navigate", { url })) as {
      readonly errorText?: string
      readonly loaderId?: string
    }
    if (errorText !== undefined) throw new Error(`${url}: ${errorText}`)
    // Another place of the same document is not loaded.
    if (loaderId !== undefined) await this.loading((document) => document === loaderId)
  }

  async reload(): Promise<void> {
    const before = new Set(this.loaded)
    await this.send("Page.reload")
    await this.loading((document) => !before.has(document))
  }

  /** What an expression gives, awaited, as data. */
  async evaluate<A>(expression: string): Promise<A> {
    const answer = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true
    })
    const { exceptionDetails, result } = answer as Evaluated
    if (exceptionDetails !== undefined) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    }
    return result.value as A
  }

  /** Settles when an expression is true, looked at with every frame: a page that never comes to it meets the limit of the test. */
  async until(condition: string): Promise<void> {
    await this.evaluate(
      `new Promise((done) => { const look = () => (${condition}) ? done(true) : setTimeout(look, 15); look() })`
    )
  }

  /** Settles when what was changed is drawn. */
  async drawn(): Promise<void> {
    await this.evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))"
    )
  }

  async press(key: string, { shift = false }: { readonly shift?: boolean } = {}): Promise<void> {
    const { code = key.toUpperCase().charCodeAt(0), text = key.length === 1 ? key : undefined } =
      keys[key] ?? {}
    const event = {
      key,
      code: key === " " ? "Space" : key,
      windowsVirtualKeyCode: code,
      modifiers: shift ? SHIFT : 0
    }
    await this.send("Input.dispatchKeyEvent", {
      ...event,
      type: text === undefined ? "rawKeyDown" : "keyDown",
      text
    })
    await this.send("Input.dispatchKeyEvent", { ...event, type: "keyUp" })
    await this.drawn()
  }

  /** Letter by letter, as somebody who types. */
  async type(text: string): Promise<void> {
    for (const letter of text) {
      await this.send("Input.insertText", { text: letter })
      await this.drawn()
    }
  }

  /** The middle of an element, which is scrolled to. */
  async placeOf(
    selector: string
  ): Promise<{ readonly x: number; readonly y: number; readonly width: number }> {
    return this.evaluate(`(() => {
      const found = document.querySelector(${JSON.stringify(selector)})
      if (found === null) throw new Error("there is no " + ${JSON.stringify(selector)})
      found.scrollIntoView({ block: "center", behavior: "instant" })
      const { x, y, width, height } = found.getBoundingClientRect()
      return { x: x + width / 2, y: y + height / 2, width }
    })()`)
  }

  private async mouse(type: string, x: number, y: number): Promise<void> {
    const held = type === "mouseMoved" ? 1 : undefined
    await this.send("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons: held, clickCount: 1 })
  }

  async click(selector: string): Promise<void> {
    const { x, y } = await this.placeOf(selector)
    await this.mouse("mousePressed", x, y)
    await this.mouse("mouseReleased", x, y)
    await this.drawn()
  }

  /** From one part of an element's width to another, each between nought and one. */
  async drag(selector: string, from: number, to: number): Promise<void> {
    const { width, x, y } = await this.placeOf(selector)
    const at = (part: number): number => x - width / 2 + part * width
    await this.mouse("mousePressed", at(from), y)
    for (const part of [0.25, 0.5, 0.75, 1]) await this.mouse("mouseMoved", at(from + (to - from) * part), y)
    await this.mouse("mouseReleased", at(to), y)
    await this.drawn()
  }

  async view({ height, scale = 1, width }: Viewport): Promise<void> {
    await this.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: scale,
      mobile: width < 600
    })
  }

  /** What the reader prefers, and what the page is shown on. */
  async media(features: Readonly<Record<string, string>>, type = ""): Promise<void> {
    await this.send("Emulation.setEmulatedMedia", {
      media: type,
      features: Object.entries(features).map(([name, value]) => ({ name, value }))
    })
  }

  async screenshot(clip?: { x: number; y: number; width: number; height: number }): Promise<Buffer> {
    const { data } = (await this.send("Page.captureScreenshot", {
      format: "png",
      optimizeForSpeed: false,
      captureBeyondViewport: clip !== undefined,
      ...(clip === undefined ? {} : { clip: { ...clip, scale: 1 } })
    })) as { readonly data: string }
    return Buffer.from(data, "base64")
  }
}
