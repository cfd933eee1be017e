"""What people say to have one of our own on-device tools called."""

import random
from collections.abc import Mapping
from typing import Any

from oneclaw.tools.builtin import load
from training import stock
from training.skill import Skill, Slot

ON_DEVICE = (
    "get_current_time",
    "read_file",
    "write_file",
    "list_files",
    "find_files",
    "search_text",
    "http_request",
    "memory_store",
    "memory_search",
    "memory_forget",
)

TIME = (
    "[What|what] time is it [|now|right now|at the moment] in {timezone}[?|]",
    "[what's|What's|whats|tell me|give me|I need|I'd like|show me|get|check] the [time|current time|local time|exact time] [in|for|over in] {timezone}[?|| please]",
    "[time|current time|local time|clock|hour] in {timezone}[|?| now| please]",
    "[what|which] [day|date] is it [|today] in {timezone}[?|]",
    "[do you know|can you tell me|could you check|any idea] what [time|hour] it is in {timezone}[?|]",
    "[is it|Is it] [late|early|morning|night|already tomorrow|lunch time|too late to call someone] in {timezone}[?| right now?]",
    "I [have a call with|want to call|am meeting|need to phone] [someone|a client|my aunt|a friend] in {timezone}, what [time|hour] is it there[?|]",
    "my [sister|friend|boss|team] lives in {timezone}. What time does [she|he|everyone] have [now|there|at the moment]?",
    "[how late|what hour] is it [|now] in {timezone}[?|]",
    "what does the clock say in {timezone}[?|]",
    "I'm flying to {timezone} [tomorrow|tonight|soon], what's the [time|date] there[ now|]?",
    "[{timezone} time|time {timezone}|{timezone} time please|what about {timezone}'s time zone, what time is it]",
    "What time is it[| now]?",
    "[what's|what is|tell me|give me|do you have|show me|get me] the [time|current time|time now|exact time|hour][| please|?]",
    "[what's|what is|tell me|give me|I need|do you know] [today's date|the date|the date today|the current date][?|| please]",
    "[what|which] [day|day of the week|month|year|weekday] is it[| today| now][?|]",
    "[what time do we have|how late is it|got the time|time please|time?|date?|the date please|clock]",
    "[I lost track of time, how late is it|I forgot what day it is, can you tell me|my watch stopped, what time is it][?|]",
    "[is it|Is it] [Monday|Friday|the weekend|noon|midnight|December|past five|already 6|still morning] [|yet|today|already][?|]",
    "what [date|time] and [time|date] is it[?| now]",
    "[what's|tell me] the time in {format} [form|format|style][| please]",
    "what time is it in {timezone}, [in|as] {format}[| format][?|]",
    "give me the {format} [date|time|timestamp][| for {timezone}]",
    "[would my cousin|would my friend|would the office|would people] in {timezone} [still be awake|be asleep|be at work] [now|at this time|right now][?|]",
    "[can I phone|may I ring|is it okay to call] {timezone} [now|at this moment|this late][?|| or is it night there?]",
    "[when it's|if it's] [breakfast|noon|evening] here, [what's the clock in|how late is it in|what time do they have in] {timezone}[?|]",
    "[the hour|current hour|clock time] [in|over in|at] {timezone}[, please|?|]",
    "[which|what] [weekday|day|month|year|date] [is today|do we write|are we on|have we got][?|]",
    "[I need|put me in the picture about|quick,] [the date|today's date|the weekday|the time] [for a letter|for this document||please]",
    "[the sun is up here, but|not sure about] {timezone}, what's the time over there[?|]",
    "[are banks|are shops|are offices|is the stock exchange] in {timezone} open [now|at this hour][?|, what time is it there?]",
)
_FORMATS = (("ISO 8601", "iso8601"), ("iso8601", "iso8601"), ("human readable", "human_readable"))


def _place(chance: random.Random) -> str:
    return stock.zone(chance) if chance.random() < 0.15 else stock.city(chance)


READ = (
    "[Read|read|open|Open|show|display|print|view|load|cat|dump|pull up] [|the file|file|me|me the file] {path}[| please| for me| now]",
    "[what's|what is|What's|whats|tell me what's|I want to know what's|I need to know what is] [in|inside|written in|stored in] [|the file|my file] {path}[?|]",
    "[show|give|print|get|read|tell] me [the contents of|what's in|what's inside|the text of|everything in|the whole of] {path}[| please]",
    "[what does|What does|can you tell me what] {path} [say|says|contain|contains|hold][?|]",
    "[let me see|take a look at|have a look at|look inside|look into|go through|check|peek into|check out] {path}[| for me| and tell me what it says| and explain it]",
    "[Could you|Can you|Would you|please|I'd like you to|I want you to|hey,] [read|open|show me|display|print out|go through] {path}[?|| out loud| to me]",
    "[summarize|summarise|sum up|review|explain|proofread] [|the file|the text in] {path}[| for me| please]",
    "I [need|want|would like] to [see|read|know] what [|the file] {path} [contains|says|has in it|looks like]",
    "[what did I write in|what have I got in|what was in|remind me what's in|what do I have in] {path}[?|]",
    "[{path}, what does it say|{path} - open it|{path}: show me|contents of {path}|{path} please, read it]",
    "there should be [a file|something] called {path}, [what's in it|read it to me|can you open it][?|]",
    "[I forgot|I can't remember|not sure] what [I put in|I wrote in|is in] {path}, [can you check|please look|show me][?|]",
    "[how does|how do the first lines of] {path} [start|begin|look][?|]",
    "[my notes are in|the list is in|the answer is in|I keep everything in] {path}, [read it|what do they say|show it to me][| please]",
    "has {path} got anything in it[?|]",
    "[walk|talk|guide] me through {path}[| please]",
    "[bring up|call up|fetch me|throw up|put up] [|the text of|the file] {path}[| on the screen| please]",
    "[give me|I'd like|can I have] [a summary|an overview|the gist|a short version] of {path}[?|| please]",
    "[before I leave|first of all|for my talk] I [must|have to|want to] [know|check|see] what {path} [says|contains|is about]",
    "[someone sent me|I found|I got] {path}, [what is it about|tell me what it says|what does it hold|show it][?|]",
    "[I don't remember|no idea] what [is in|stands in|I noted in] {path}, [please look|show me|open it]",
    "[how does|tell me how] {path} [end|start|go on][?|]",
)
WRITE = (
    "[Save|save|Write|write|Put|put|store|Store|jot down|note|type|record|enter] {content!q} [to|into|in|in the file|to the file|into the file|in a file called|to a file named|inside] {path}[| please]",
    "[Create|create|make|Make|start|set up] [|a file|a new file|the file] [|called|named] {path} [with|containing|that contains|with the text|with the content|that says|saying|that reads|holding] {content!q}",
    "[Save|save|write|put|store] [this|the following|this text|the following text|these words|this line] [to|in|into] {path}: {content!q}",
    "[Save|save|write|put] the [text|words|line|sentence|note|message|phrase] {content!q} [to|in|into] [|the file] {path}",
    "[in|into|inside] {path} [write|put|save|store|type|jot] {content!q}",
    "[I want|I'd like|I need|please have] {content!q} [saved|written|stored|kept] [in|to|inside] {path}",
    "[make|let|have] {path} [say|contain|read] {content!q}",
    "{path} should [say|contain|read|hold] {content!q}[|, please do that|, can you make it so?]",
    "[new file|file] {path}[:| with] {content!q}",
    "[save|keep] {content!q} as {path}",
    "[Could you|can you|would you|please|hey,|I'd like you to] [save|write|put|jot down|store] {content!q} [to|in|into] {path}[?|]",
    "[replace|overwrite] [|what's in|the contents of] {path} with {content!Q}",
    "[leave|drop] [a note|a line|the words] {content!Q} in {path}[ for me|]",
    "{content!Q} - [save|write|put] [that|it|this] [to|in|into] {path}[| please]",
    "[write|save|draft] [a note|a memo|a line|a reminder] [saying|that says] {content!q} [to|in|into] {path}",
    "[my shopping list|the note|the text|the memo] is {content!Q}, [save it|write it|put it] [in|to] {path}",
    "[scribble|drop|note|log|capture|pen] {content!q} [in|into] {path}[| for me| would you]",
    "[I want|I need|give me] a [new|fresh|] file {path} [holding|whose content is|with nothing but|that just says] {content!Q}",
    "[file|document] {path} [should|must|has to] [read|say|contain] {content!Q}[| from now on| please]",
    "[take|here is] [a line|a note|some text] for {path}: {content!q}",
    "[there is something|I have something|one line] to [keep|save|store] in {path}: {content!q}",
    "[I'd like to|let's|we should] [save|keep|store|write] {content!Q} in [a file called|] {path}",
    "[compose|produce|build] {path} with [the words|this inside:|this text:] {content!q}",
    "[write|note] in {path} that {content}",
)
APPEND = (
    "[Append|append] {content!q} to [|the file|the end of] {path}[| please]",
    "[Add|add] {content!q} to [|the file|my file|the end of|the bottom of] {path}[| please]",
    "[please|can you|could you|now|also] [add|append] {content!q} to {path}[?|]",
    "[add|append] [a line|the line|another line|the text|the words] {content!Q} [to|at the end of] {path}",
    "[in|to] {path}, add {content!q}",
    "[tack|stick|put] {content!Q} [on|onto] the end of {path}, [append it|appending|don't overwrite, append]",
    "add [one more|another|a further] [line|entry|item] to {path}: {content!q}",
)
LIST = (
    "[list|List|show|Show me|give me|print|display] [|all|all the|the] [files|documents|things|contents] [in|inside|of|under|within] [|the folder|the directory|folder|my] {path}[| please]",
    "[what's|what is|what do I have|what do we have|what have I got] in [|the] {path} [folder|directory][?|]",
    "[which|what] files [are|do I have|can you see|are there|exist] [in|inside|under] [|the] {path}[?|| folder| directory]",
    "[ls|dir|list] {path}",
    "[look|peek] [in|into|inside] the {path} [folder|directory] and [tell me what's there|list it|say what is in it]",
    "[list|show|Show me|tell me about] the {path} [folder|directory][| please]",
    "I [need|want] to [see|know] [what's|which files are|everything] in the {path} [folder|directory]",
    "[what files|which files|what documents|which documents] [are there|do I have|do you see|are here|can you see|are in my workspace|have we got][?|]",
    "[list|show me|list all|show|give me] [|the|my|all|all my] [files|documents|files here|files you have][| please]",
    "[what's in|show me|list] [this folder|the workspace|my workspace|the current directory|here|this directory|my folder][?|]",
    "[ls|dir|is there anything in my workspace?|is this folder empty?|what do you see in this folder?|anything here?]",
    "[how many|are there any] files [are|] in [|the] {path} [folder|directory][?|]",
    "[open|browse] the [folder|directory] {path}[| please]",
    "[what|anything] [is|lies|sits] [in|around in|inside] the {path} [folder|directory][?|]",
    "[an overview|a listing|an inventory] of [the {path} folder|everything in {path}|all files under {path}][, please|]",
    "[I wonder|tell me|I'd like to know] [what|which documents|which files] [is|are|live] in [the {path} folder|the directory {path}]",
    "[have I got|do I have|are there] any files [here|at all|yet|saved][?|]",
    "[what|which] [things|documents|stuff] [is|are|do we have] [stored here|in this workspace|around here|saved so far][?|]",
)
_GLOBS = (
    ("python files", "*.py"),
    ("markdown files", "*.md"),
    ("text files", "*.txt"),
    ("json files", "*.json"),
    ("JSON files", "*.json"),
    ("csv files", "*.csv"),
    ("CSV files", "*.csv"),
    ("yaml files", "*.yaml"),
    ("log files", "*.log"),
    ("pdf files", "*.pdf"),
    ("PDFs", "*.pdf"),
    ("pdfs", "*.pdf"),
    ("html files", "*.html"),
    ("javascript files", "*.js"),
    ("sql files", "*.sql"),
    ("files ending in .md", "*.md"),
    ("files ending in .py", "*.py"),
    ("files that end with .txt", "*.txt"),
    (".json files", "*.json"),
    (".csv files", "*.csv"),
    (".log files", "*.log"),
    ("*.md files", "*.md"),
    ("*.py", "*.py"),
    ("*.txt", "*.txt"),
    ("files matching *.toml", "*.toml"),
    ("files like report*.csv", "report*.csv"),
    ("*_test.py", "*_test.py"),
)
_STEMS = "report budget invoice photo draft test notes config holiday backup contract song recipe letter tax".split()


def _glob(chance: random.Random) -> tuple[str, str]:
    if chance.random() < 0.45:
        return chance.choice(_GLOBS)
    stem = chance.choice(_STEMS)
    how = ["files with {} in the name", "files named {}", "files called {}", "files whose name contains {}"]
    if chance.random() < 0.75:
        return chance.choice(how).format(stem), f"*{stem}*"
    name = stock.file(chance).rsplit("/", 1)[-1]
    return chance.choice(["files named {}", "a file called {}", "the file {}", "{}"]).format(name), name


FIND = (
    "[find|Find|locate|look for|search for|hunt for] [|all|all the|every|any|me all] {pattern}[| please| for me]",
    "[find|Find|locate|look for|search for] [|all|all the|any] {pattern} [in|under|inside|within] [|the] {path}[| folder|]",
    "[where are|where can I find|where did I put|do I have|are there] [|my|the|all the|any] {pattern}[?|]",
    "[are there any|do you see any|do we have any] {pattern} [in|under] {path}[?|]",
    "[which|what] {pattern} [are there|do I have|exist][?|]",
    "I [need|want] to find [|all|all my|the] {pattern}",
    "[track down|hunt down|dig up|get me|point me to] [|all|every one of|all of] [my|the] {pattern}",
    "[in which folder|where on this disk|where] [are|did I save|do I keep|have I put] [|my|the|all] {pattern}[?|]",
    "[somewhere|somewhere here] there [are|must be|should be] {pattern}, [find them|where are they|locate them]",
    "[any|are any] {pattern} [around|lying around|here|below {path}|in {path}][?|]",
)
SEARCH = (
    "[search|Search|grep|look] [|in|through] {path} for {pattern!q}",
    "[search|Search|look|grep] for [|the word|the text|the phrase|lines with] {pattern!q} in [|the] {path}",
    "[grep|search text|look for] {pattern!q} in {path}",
    "[which|what] [files|lines|documents] [contain|mention|have|include|say] {pattern!q}[?|]",
    "[find|show|list] [|all|the|every] [lines|places|files] [that contain|that mention|containing|mentioning|with] {pattern!q}[| in {path}]",
    "[where|in which file] [do I mention|did I write about|is the word|did I use|do we use] {pattern!q}[?|]",
    "[does|do] [any of my files|anything in {path}|any file|my notes] [mention|contain|say] {pattern!q}[?|]",
    "[search|look through|go through|scan] [my files|all files|the workspace|everything|all my documents] for {pattern!q}[| please]",
    "is {pattern!Q} [mentioned|written|used] [anywhere|in any file|somewhere in my files][?|]",
    "find the word {pattern!q} in [|the file] {path}",
    "[how often|where] does {pattern!q} [appear|occur|come up] in {path}[?|]",
    "[find|search|look for] text {pattern!q}[| in my files]",
    "grep [-r |]{pattern!q}",
    "is there anything [on|about] {pattern!q} in {path}[?|]",
    "[what does|does] {path} [tell us|state|note|write] [about|anything on] {pattern!q}[?|]",
    "[on which line|where|in what place] [of|in] {path} [is|do we have|comes|stands] {pattern!q}[?|]",
    "[show|print|give] me the [lines|passages|places] [of|in] {path} [with|that mention|where it says] {pattern!q}",
    "[who|what|which file|which script] [uses|calls|defines|mentions] {pattern!q} [in {path}|][?|]",
    "[did I|have I] [ever|] [note|noted|write|written|mention|mentioned] {pattern!q} [anywhere|somewhere] in my [files|notes|documents][?|]",
    "[which|what] of my [notes|documents|files] [deal with|speak of|are about|have the word] {pattern!q}[?|]",
    "{pattern!Q} [must be|should be|occurs] somewhere in {path}, [find the line|show me where|where][?|]",
)
_NEEDLES = (
    "TODO|FIXME|password|invoice|def main|import numpy|error|deadline|Anna|budget|birthday|hello|timeout"
    "|api_key|strawberries|the meeting|connection refused|version|router|class User|42|total cost|warning"
    "|Paris|dentist|console.log|return None|unpaid|blue whale|SELECT|passport|mortgage|localhost"
).split("|")
HTTP = (
    "[Fetch|fetch|get|Get|open|Open|download|Download|load|visit|request|curl|call|hit|scrape|grab|retrieve] [|the page|the site|the url|the address|the website|me] {url}[| for me| please| now]",
    "[what does|What does] {url} [return|say|answer|respond with|give back][?|]",
    "[is|Is] {url} [up|online|reachable|working|alive|down][?|]",
    "[check|test|see|find out] [if|whether] {url} [works|is up|is online|responds|loads|answers]",
    "[show|give|get|tell] me [the response from|what's on|what is at|the content of|the page at|what you find at] {url}[| please]",
    "[make|send|do|issue|perform] [a|an HTTP|a simple|a quick] request to {url}",
    "[I want|I need|I'd like] [to see|the content of|to know what's on|to read] {url}",
    "[look at|go to|browse to|read the page at|take a look at|check out|pull] {url}[| and tell me what it says| please]",
    "[what's on|what is at|anything new on] {url}[?|]",
    "[can you|could you|please|hey,] [fetch|open|get|load|download|visit] {url}[?|]",
    "[read|summarize|summarise|show] [|the article at|the page] {url}[| for me]",
    "does {url} [respond|answer|work|load][?|]",
    "[I believe|I guess|people say] {url} is [down|broken|offline|gone], [is that so|check it|verify that][?|]",
    "[what comes back|what do I get|what's the answer] when [I|you] [call|open|hit] {url}[?|]",
    "[bring me|get hold of|pull|grab] [the text of|whatever is at|the content at|] {url}",
)
HTTP_METHOD = (
    "[Send|send|make|Make|do|issue|perform|run|fire] a {method} [|request|call] [to|on|against|at] {url}[| please]",
    "{method} [|to] {url}",
    "[use|call|try] {method} on {url}",
    "[send|perform|do] an HTTP {method} to {url}",
    "[can you|could you|please] {method} [|to] {url}[?|]",
    "[post|POST|patch|put] {body!Q} to {url}",
    "[send|make] a POST request to {url} with [|the] [body|payload|data|content] {body!Q}",
)
_KEYS = (
    "favorite color|favourite food|wifi password|door code|birthday|phone number|email|email address|address"
    "|shoe size|license plate|locker number|pin|flight number|doctor|hometown|job title|project name|deadline"
    "|start date|time zone|account number|student id|room number|parking spot|blood type|dentist|gym code"
    "|car|landlord|boss|anniversary|passport number|alarm code|coffee order|nickname|cat's name|dog's name"
    "|sister's name|wife's birthday|son's school|bank|seat|gate|hotel|username|postcode|insurance number"
    "|favorite song|favourite band|favorite season|lucky number|team|mentor|native language|ring size|mechanic"
).split("|")
_FACTS = (
    "blue|pizza|1234|B12|555-9876|hunter42|Dr Smith|QF12|Apollo|5000 dollars|green house 7|ab12cd|engineer"
    "|UTC+2|A-113|zebra99|Oak Street 9|anna.k@mail.com|Lyon|O negative|flat white|Whiskers|a red Volvo|Mr Jones"
    "|size 44|Hotel Aurora|tango-7|dark green|sushi|Portuguese|seven|42|The Cure|autumn|Maple Avenue 12|Rex"
    "|+44 20 7946 0018|lukas99|SW1A 1AA|14C|Marta Ruiz|Bluebird|0412|pear cider|XK-881|Room 204|12B"
).split("|")


def _fact(chance: random.Random) -> str:
    return stock.date(chance) if chance.random() < 0.3 else chance.choice(_FACTS)


def _key(chance: random.Random) -> str:
    key = chance.choice(_KEYS)
    return f"{stock.first_name(chance)}'s {key}" if "'" not in key and chance.random() < 0.12 else key


_doing = stock.one_of(
    "live in", "work at", "work for", "drive", "prefer", "play", "collect", "study", "support"
)
_being = stock.one_of("allergic to", "married to", "afraid of", "learning", "from", "good at", "on call on")
STORE = (
    "[Remember|remember|please remember|Please remember|memorize|keep in mind|Keep in mind|don't forget|Don't forget|note|note down|bear in mind|make a note|take note] [that|] [my|our|the] {key} is {value}[| please| ok?]",
    "[my|My|our|the|The] {key} is {value}[, remember that|, please remember it|. Please keep that in mind|, don't forget|, make a note of it|, keep that for later|. Remember this!]",
    "[store|Store|save|Save|keep|record] my {key} as {value}[| please]",
    "[save|store|put|keep] [to|in] [memory|your memory][:| that] my {key} is {value}",
    "[remember this|for later|note to self|for the record|fyi, remember]: [my|the] {key} is {value}",
    "[I want you to|could you|can you|I'd like you to|you should|make sure you] remember [that|] my {key} is {value}[?|]",
    "[from now on|as of today|starting today] my {key} is {value}, [remember it|remember that|keep it in mind|note it]",
    "[set|change|update] my {key} to {value}[| in your memory| in memory]",
    "[memorise|memorize|save|remember] {value} as my {key}",
    "[jot down|write down|note down|note] that [my|the] {key} is {value}[| for later| so you know it later]",
    "[store|remember] {key}: {value}",
    "[it would help if you remembered|please do not forget|try to remember|never forget] that my {key} is {value}",
    "[I just moved|I changed it|news]: my {key} is [|now] {value}, [remember|keep] that",
    "[save|store|remember] the {key} {value}[| for me]",
    "[I have a new|we have a new] {key}, it's {value}, [remember it|don't forget it|please store it]",
    "[learn|know|retain|hold in memory|keep track of this]: [my|the|our] {key} is {value}",
    "[so that you know|so you know|just so you remember|for next time|for another day|in case I ask later], [my|the|our] {key} is {value}",
    "[my|the|our] {key} [is|was changed to|will be] {value}, [you'll need that later|keep this in mind|hang on to that|take that down|save that to memory]",
    "[put|keep|file] my {key} in [memory|your memory|mind]: {value}",
    "[don't forget|do not forget|never forget|and don't forget], my {key} is {value}",
    "I {key_do} {value}, [remember that|keep that in mind|please remember|don't forget it|note that down for later]",
    "[remember that|keep in mind that|don't forget that|note that|please remember,] I {key_do} {value}",
    "I'm {key_am} {value}, [remember it|don't forget that|please keep it in mind]",
    "[remember|please remember|keep in mind] that I'm {key_am} {value}",
    "[my|our] {key} [happens|is going] [to be|on] {value}, [remember|memorize] [it|that]",
)
RECALL = (
    "[What is|what is|what's|What's|whats|do you know|tell me|do you remember|can you recall|remind me of] my {query}[?|| again?| please]",
    "[what did I tell you about|what do you know about|what do you remember about|what have I told you about|did I tell you about] [|my] {query}[?|]",
    "[search|look in|check|look through|search through] your memory for [|my] {query}",
    "[recall|look up|find] [|my] {query} [in|from] [your memory|memory|your notes on me]",
    "[what was|What was] my {query}[| again][?|]",
    "[have I told you|did I mention|did I ever tell you|did I say] [what my {query} is|my {query}|about my {query}][?|]",
    "I forgot my {query}[, do you remember it|, can you remind me|. What was it|, what is it][?|]",
    "[do you still have|do you have] my {query}[?| on record?| saved?]",
    "[tell me|give me] my {query} again[| please]",
    "which {query} did I [tell you|give you|mention][?|]",
    "[I'd like to know|I want to hear|say] my {query}[ again|| once more]",
    "what {query} [have you|did you] [stored|saved|noted|remembered] for me[?|]",
    "[what|who] was [my|our] {query}, [do you know|can you tell|again][?|]",
    "[can you|could you] [tell me|look up|remember|recall] [what I said about|] my {query}[?|]",
    "[is|was] there [something|anything] [you remember|in your memory|you know] about my {query}[?|]",
    "[where|what] did I say [about my {query}|my {query} was][?|]",
    "[any memory of|anything remembered on|what's stored about] [my|our] {query}[?|]",
    "[our|the] {query}, [what was it|do you still know it|tell me again][?|]",
)
FORGET = (
    "[Forget|forget|please forget|erase|wipe] [|about] my {key}[| please|.]",
    "[delete|remove|erase|drop|clear] my {key} from [memory|your memory|what you remember|what you know]",
    "[you can|you should|please] forget [|about] [my|the] {key}[| now| again]",
    "[don't|do not|no longer|stop] [remember|keep|remembering|storing] my {key}[| any more| anymore]",
    "[forget|erase|delete] what I [told you|said] about my {key}",
    "[forget|delete|remove] the [memory|note|fact] [about|on|called|named] [|my] {key}",
    "my {key} is [no longer valid|not true any more|outdated], [forget it|please forget it|delete it from memory]",
    "forget the {key}[| please]",
    "[I don't want you to|you don't need to] remember my {key}[| any more| anymore]",
    "[please|you may|kindly] [drop|discard|lose|throw away] [what you know about|the memory of|what you stored about] my {key}",
    "[take|strike|get] my {key} out of [your memory|memory]",
    "[clear|wipe|erase|remove] our {key} from [memory|your memory|what you know]",
    "my {key} [changed|is old|was wrong], [erase|remove|clear] it from [memory|your memory]",
    "I'd [prefer|like it better] if you forgot my {key}",
)
WEB = (
    "[Search|search|look] [|the web|online|the internet] for {query!q}[| please]",
    "[look up|Look up|google|Google|research|browse for|search online for] {query}[| for me| please| online]",
    "[find|find me|get me|get] [information|articles|something|more|the latest|news] [about|on] {query}[| online| on the web]",
    "[what can you find|what does the internet say|what's the latest|what's new] [|online] [about|on] {query}[?|]",
    "[do|run] a [web|quick|internet] search [for|on|about] {query}",
    "[can you|could you|please|I want you to] [search for|look up|google|find out about] {query}[?|]",
    "I [need|want] to [know more|find out|read] about {query}, [search it|look it up|google it]",
    "web search {query}",
)


def schemas_of(name: str, extra: Mapping[str, Any] | None = None) -> dict[str, Mapping[str, Any]]:
    """The parameters of a built-in tool, optional ones marked."""
    parameters = load(name).definition.parameters
    required = parameters.get("required", [])
    members = {
        each if each in required else f"{each}?": value for each, value in parameters["properties"].items()
    }
    return {**members, **(extra or {})}


def _own(name: str, templates: tuple[str, ...], slots: Mapping[str, Slot], **more: Any) -> Skill:
    description = load(name).definition.description
    return Skill(
        name=name, description=description, schemas=schemas_of(name), templates=templates, slots=slots, **more
    )


_PATHS = ("file", "filename", "file_path")
_ASKS_FILE = (
    "read it",
    "open the file",
    "can you read a file for me?",
    "show me the file please",
    "read my file",
)


def own_skills() -> list[Skill]:
    """The on-device tools, in the order of `ON_DEVICE`."""
    file, folder = stock.file, stock.folder
    return [
        _own(
            "get_current_time",
            TIME,
            {"timezone": _place, "format": lambda chance: chance.choice(_FORMATS)},
            names=("current_time", "get_time", "now", "clock"),
            descriptions=("Returns the current time, optionally in a timezone", "Tell the current time"),
            renames={"timezone": ("tz", "location", "zone")},
        ),
        _own(
            "read_file",
            READ,
            {"path": file},
            asks=_ASKS_FILE,
            names=("file_read", "open_file", "cat_file", "load_file"),
            descriptions=(
                "Read a file from disk",
                "Return the text of a file",
                "Read the contents of a file",
            ),
            renames={"path": _PATHS},
        ),
        _own(
            "write_file",
            (*WRITE, *APPEND),
            {"path": file, "content": stock.text},
            asks=("save it to a file", "write a file for me", "can you save this?", "make a new file please"),
            names=("file_write", "save_file", "create_file"),
            descriptions=(
                "Write text content to a file",
                "Save text to a file",
                "Create or overwrite a file",
            ),
            renames={"path": _PATHS, "content": ("text", "data")},
        ),
        _own(
            "list_files",
            LIST,
            {"path": folder},
            names=("list_dir", "ls", "show_folder"),
            descriptions=("List the contents of a folder", "Show the files in a folder"),
            renames={"path": ("folder", "dir")},
        ),
        _own(
            "find_files",
            FIND,
            {"pattern": _glob, "path": folder},
            names=("glob", "locate_files", "file_search"),
            descriptions=("Find files by name with a glob pattern", "Search for files by a glob pattern"),
            renames={"pattern": ("glob",)},
        ),
        _own(
            "search_text",
            SEARCH,
            {
                "pattern": lambda chance: chance.choice(_NEEDLES),
                "path": lambda chance: chance.choice([file, folder])(chance),
            },
            names=("grep", "search_in_files", "text_search"),
            descriptions=("Search files for a text", "Find lines that match a pattern in files"),
            renames={"pattern": ("text", "query", "regex")},
        ),
        _own(
            "http_request",
            (*HTTP, *HTTP_METHOD),
            {"url": _address, "method": _method, "body": stock.text},
            asks=("fetch a page for me", "send a request please", "download something from the web"),
            names=("fetch_url", "web_fetch", "request", "call_api"),
            descriptions=("Fetch a URL", "Send an HTTP request", "Make a web request"),
            renames={"url": ("uri", "link")},
        ),
        _own(
            "memory_store",
            STORE,
            {"key": _key, "value": _fact, "key_do": _doing, "key_am": _being},
            asks=("remember something for me", "can you remember a thing?"),
            names=("remember", "save_memory", "store_fact"),
            descriptions=(
                "Remember a fact by storing a value under a key",
                "Store a key and value in memory",
                "Save a fact",
            ),
            renames={"key": ("name", "topic"), "value": ("fact", "data")},
        ),
        _own(
            "memory_search",
            RECALL,
            {"query": _key},
            names=("recall", "memory_recall", "search_memory"),
            descriptions=("Recall a stored fact", "Search stored memories"),
            renames={"query": ("key", "topic")},
        ),
        _own(
            "memory_forget",
            FORGET,
            {"key": _key},
            names=("forget", "memory_delete", "erase_memory"),
            descriptions=("Forget a stored fact", "Remove a memory by its key"),
            renames={"key": ("name", "topic")},
        ),
    ]


def web_search() -> Skill:
    """Not ours, but so common beside ours that it must not be confused with them."""
    return Skill(
        name="web_search",
        description="Search the web for information",
        schemas={"query": {"type": "string"}},
        templates=WEB,
        slots={"query": stock.topic},
        names=("search_web", "internet_search", "search"),
        descriptions=("Search the internet", "Find web pages"),
        renames={"query": ("q", "search_term")},
    )


def _address(chance: random.Random) -> str | tuple[str, str]:
    return stock.bare_domain(chance) if chance.random() < 0.12 else stock.url(chance)


def _method(chance: random.Random) -> tuple[str, str]:
    method = chance.choice(["POST", "POST", "PUT", "DELETE", "HEAD", "GET", "PATCH"])
    return (method.lower() if chance.random() < 0.3 else method), method
