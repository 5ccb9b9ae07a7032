/** Starts the page on the data that stands in it. */
import { render } from "preact"
import { App } from "./App.js"
import type { PageData } from "./PageData.js"

const text = document.getElementById("data")?.textContent ?? ""
const root = document.getElementById("page")

if (root !== null) render(<App data={JSON.parse(text) as PageData} />, root)
