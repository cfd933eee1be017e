// Reads an answer aloud with the browser's own voice; a second press stops it.
export const canSpeak = "speechSynthesis" in window;
let said = "";
const plain = (text) => text.replace(/```[\s\S]*?```/g, "").replace(/[*_`#>|]/g, "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");

export function speak(text) {
  const isSpeaking = speechSynthesis.speaking && said === text;
  speechSynthesis.cancel();
  said = text;
  if (isSpeaking) return;
  const words = new SpeechSynthesisUtterance(plain(text));
  words.lang = navigator.language;
  speechSynthesis.speak(words);
}
