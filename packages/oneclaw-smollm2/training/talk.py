"""What people say that calls for no tool: small talk, questions anyone can answer, and near misses."""

import random

from training import stock
from training.skill import choose

GREETINGS = (
    "[Hi|Hello|Hey|hey there|hi there|good morning|good evening|good afternoon|howdy|yo|greetings|hiya][|!| friend| again|, you]",
    "[How are you|how's it going|what's up|how do you do|how have you been|you ok|how was your day][?|| today?| my friend?]",
    "[Thanks|thank you|thanks a lot|thank you so much|many thanks|cheers|thx|ty][|!|, that helped|, great|, you're the best| for your help]",
    "[bye|goodbye|see you|see you later|good night|talk to you soon|have a nice day|gotta go][|!|, thanks]",
    "[ok|okay|yes|no|maybe|sure|fine|great|nice|cool|lol|haha|hmm|wow|perfect|awesome|alright|got it|I see|never mind|stop|wait][|!|.]",
    "[that was|that's|this is] [helpful|great|wrong|funny|not what I meant|amazing|exactly right|a good answer][|!]",
)
ABOUT_YOU = (
    "[who|what] are you[?|| exactly?| really?]",
    "[what's|what is] your [name|favorite color|favourite film|purpose|opinion|job|model][?|]",
    "[are you|Are you] [a robot|human|real|an AI|alive|smart|happy|free|there|ChatGPT|open source|a person][?|]",
    "[who|which company] [made|built|trained|created|wrote] you[?|]",
    "[what can you do|how can you help me|what are you good at|what tools do you have|how do you work|help|help me][?|]",
    "[do you|Do you] [dream|sleep|like music|have feelings|speak French|like cats|get tired|have a family|know jokes][?|]",
    "[how old are you|where are you from|where do you live|can you think|do you remember anything at all|can you see me][?|]",
    "tell me about yourself",
    "[I like you|you are awesome|you are funny|you're wrong|you are slow|I don't trust you|you make me smile]",
)
ASKS = (
    "[tell me|say|know any|do you have] [a joke|another joke|something funny|a fun fact|a riddle|a story|a bedtime story|something nice][| please|?]",
    "[write|compose|make up|give me] [a poem|a haiku|a limerick|a short story|a song|a slogan] about {_topic}",
    "[write|draft] [a poem|a short toast|a birthday wish|a haiku|a love letter][| please]",
    "[explain|describe|tell me about] {_topic}[| to me| in simple words| briefly]",
    "[what is|what are|why is|how does] [love|the sky blue|gravity|a noun|recursion|a black hole|a car engine working|water wet|democracy|a file|HTTP|an API|a folder|a prime number|photosynthesis|a time zone][?|]",
    "[who|when was] [wrote Hamlet|painted the Mona Lisa|discovered America|is the author of Dune|the first man on the moon|invented the wheel|the printing press invented|World War II][?|]",
    "[what's|what is] the capital of [Italy|Japan|Canada|Norway|Peru|Egypt|Kenya|Spain|Australia|Brazil][?|]",
    "[how many] [legs does a spider have|days are in a year|continents are there|planets are there|hours are in a day|minutes are in an hour|sides has a hexagon|bones do we have|letters are in the alphabet][?|]",
    "[what's|what is|whats|compute|how much is] {_n} [+|-|*|x|times|plus|minus|divided by] {_n}[?|]",
    "is {_n} [a prime number|even|odd|bigger than {_n}][?|]",
    "[name|give me|list|tell me] [three|five|some] [fruits|colours|animals|good book ideas|tips for better sleep|baby names|countries in Africa|reasons to smile|synonyms for happy]",
    "[what should I|what can I|what would you] [eat|cook|wear|do today|watch|read|do on a rainy day|say to my boss][?|]",
    "[how do I|how can I|how to] [learn programming|sleep better|become a writer|make friends|lose weight|get rich|boil an egg|tie a knot|stay calm|learn to swim][?|]",
    "[what do you think|what's your opinion|give me advice] about {_topic}[?|]",
    "[spell|rhyme with|define|what is the opposite of|use in a sentence:] [banana|cat|hot|happy|elephant|light|brave|orange|silence][?|]",
    "[count to five|sing a song|make me laugh|cheer me up|guess a number|let's play a game|let's talk|I have a question|can you help me|go on|please continue|say that again|can you repeat that]",
    "[why do|do] [cats purr|birds sing|we dream|people yawn|leaves fall|dogs bark|ships float|stars twinkle][?|]",
    "[which is better|what's better|what is healthier|would you rather have], [tea or coffee|cats or dogs|summer or winter|python or rust|books or films][?|]",
    "[should I|is it wise to|would you] [buy a bike|learn Latin|quit my job|get a dog|move to the sea|drink more water][?|]",
    "how far is the moon[?| from here?]",
)
FEELINGS = (
    "[I am|I'm|I feel|feeling] [bored|sad|happy|tired|lonely|excited|a bit lost|hungry|angry|nervous about tomorrow|sick|so proud][| today| right now|.]",
    "[I had|we had|that was] a [long|great|terrible|lovely|strange] [day|week|trip|meeting|dinner][|.| yesterday.]",
    "[I love|I hate|I miss|I enjoy] [rainy days|my job|old films|Mondays|my grandmother|the sea|long walks|{_city}]",
    "[it is|it's] [so hot|raining|snowing|beautiful|cold|quiet] [here|today|outside][|.|!]",
    "[nobody understands me|I don't understand|I'm confused|I need a hug|life is hard|I can't sleep|wish me luck]",
    "[my exam|the interview|our wedding|the game] went [well|badly|better than expected][|!]",
    "[we won|we lost|I passed|I failed|I got the job|I quit]!",
)
NEAR = (
    "[I lost|I closed|I finally finished|I already read|I love|I printed] {_file} [yesterday|last night|this morning|already|again]",
    "[what is|what's] [the difference between|better,] a [file|text file|csv] and a [folder|spreadsheet|database][?|]",
    "[time flies|time is money|I have no time today|it is about time|long time no see|what a time to be alive|I had a good time]",
    "[files are|folders are|memory is|the internet is|websites are] [confusing|slow today|a great invention|hard to understand|everywhere]",
    "[I read|I wrote|I saved] a [lot|great book|letter|fortune] [last year|yesterday|once|as a child]",
    "[my memory is bad|I have a good memory|memories fade|I remember my childhood|I will never forget that summer|elephants never forget]",
    "I [was|lived|grew up] in {_city} [last year|as a kid|for a while|once], [it was lovely|nice place|too hot for me]",
    "[how do|why do|can] [people|programs|computers] [read files|write files|store memories|remember things|tell time|search text][?|]",
    "[{_city} is beautiful|{_city} is my favourite city|have you been to {_city}?|is {_city} a nice place?]",
    "[who invented|what is] [the clock|the calendar|the web browser|paper|the alphabet|the filing cabinet|summer time][?|]",
    "[is it hard to|what does it mean to|do you like to] [write|read|search|remember|forget|list things|make requests][?|]",
    "[my favourite website is|I like|I visited] {_site} [a lot|very much|yesterday|every day]",
    "[the file|the website|the list|the note] is [fine|too long|boring|great|done][|, thanks|.]",
    "[I should|I must|I ought to|someday I'll] [read more|write a book|clean my desk|organise my files|buy milk|call my mother]",
    "[how long does it take to|what's the best way to] [read a book|write a novel|memorise a poem|search a house|list priorities][?|]",
)
WEIGHTED = ((GREETINGS, 3), (ABOUT_YOU, 3), (ASKS, 6), (FEELINGS, 2), (NEAR, 4))


def talk(chance: random.Random) -> str:
    templates = chance.choices([each for each, _ in WEIGHTED], [weight for _, weight in WEIGHTED])[0]
    sentence = choose(chance.choice(templates), chance)
    for slot, make in (("{_topic}", stock.topic), ("{_file}", stock.file), ("{_city}", stock.city)):
        while slot in sentence:
            sentence = sentence.replace(slot, make(chance), 1)
    while "{_n}" in sentence:
        sentence = sentence.replace("{_n}", str(chance.randint(1, 200)), 1)
    return sentence.replace("{_site}", stock.bare_domain(chance)[0])
