"use strict";(()=>{var co=globalThis,nn=co.trustedTypes,As=nn?nn.createPolicy("lit-html",{createHTML:e=>e}):void 0,uo="$lit$",me=`lit$${Math.random().toFixed(9).slice(2)}$`,po="?"+me,il=`<${po}>`,We=document,Ot=()=>We.createComment(""),Ct=e=>e===null||typeof e!="object"&&typeof e!="function",ho=Array.isArray,Cs=e=>ho(e)||typeof e?.[Symbol.iterator]=="function",lo=`[ 	
\f\r]`,_t=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Es=/-->/g,Ps=/>/g,Ie=RegExp(`>|${lo}(?:([^\\s"'>=/]+)(${lo}*=${lo}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),Ms=/'/g,_s=/"/g,Ls=/^(?:script|style|textarea|title)$/i,mo=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),p=mo(1),H=mo(2),gh=mo(3),Lt=Symbol.for("lit-noChange"),m=Symbol.for("lit-nothing"),Os=new WeakMap,Ne=We.createTreeWalker(We,129);function Hs(e,t){if(!ho(e)||!e.hasOwnProperty("raw"))throw Error("invalid template strings array");return As!==void 0?As.createHTML(t):t}var Is=(e,t)=>{let n=e.length-1,o=[],s,r=t===2?"<svg>":t===3?"<math>":"",i=_t;for(let a=0;a<n;a++){let c=e[a],u,d,h=-1,f=0;for(;f<c.length&&(i.lastIndex=f,d=i.exec(c),d!==null);)f=i.lastIndex,i===_t?d[1]==="!--"?i=Es:d[1]!==void 0?i=Ps:d[2]!==void 0?(Ls.test(d[2])&&(s=RegExp("</"+d[2],"g")),i=Ie):d[3]!==void 0&&(i=Ie):i===Ie?d[0]===">"?(i=s??_t,h=-1):d[1]===void 0?h=-2:(h=i.lastIndex-d[2].length,u=d[1],i=d[3]===void 0?Ie:d[3]==='"'?_s:Ms):i===_s||i===Ms?i=Ie:i===Es||i===Ps?i=_t:(i=Ie,s=void 0);let b=i===Ie&&e[a+1].startsWith("/>")?" ":"";r+=i===_t?c+il:h>=0?(o.push(u),c.slice(0,h)+uo+c.slice(h)+me+b):c+me+(h===-2?a:b)}return[Hs(e,r+(e[n]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),o]},Ht=class e{constructor({strings:t,_$litType$:n},o){let s;this.parts=[];let r=0,i=0,a=t.length-1,c=this.parts,[u,d]=Is(t,n);if(this.el=e.createElement(u,o),Ne.currentNode=this.el.content,n===2||n===3){let h=this.el.content.firstChild;h.replaceWith(...h.childNodes)}for(;(s=Ne.nextNode())!==null&&c.length<a;){if(s.nodeType===1){if(s.hasAttributes())for(let h of s.getAttributeNames())if(h.endsWith(uo)){let f=d[i++],b=s.getAttribute(h).split(me),w=/([.?@])?(.*)/.exec(f);c.push({type:1,index:r,name:w[2],strings:b,ctor:w[1]==="."?sn:w[1]==="?"?rn:w[1]==="@"?an:Be}),s.removeAttribute(h)}else h.startsWith(me)&&(c.push({type:6,index:r}),s.removeAttribute(h));if(Ls.test(s.tagName)){let h=s.textContent.split(me),f=h.length-1;if(f>0){s.textContent=nn?nn.emptyScript:"";for(let b=0;b<f;b++)s.append(h[b],Ot()),Ne.nextNode(),c.push({type:2,index:++r});s.append(h[f],Ot())}}}else if(s.nodeType===8)if(s.data===po)c.push({type:2,index:r});else{let h=-1;for(;(h=s.data.indexOf(me,h+1))!==-1;)c.push({type:7,index:r}),h+=me.length-1}r++}}static createElement(t,n){let o=We.createElement("template");return o.innerHTML=t,o}};function De(e,t,n=e,o){if(t===Lt)return t;let s=o!==void 0?n._$Co?.[o]:n._$Cl,r=Ct(t)?void 0:t._$litDirective$;return s?.constructor!==r&&(s?._$AO?.(!1),r===void 0?s=void 0:(s=new r(e),s._$AT(e,n,o)),o!==void 0?(n._$Co??=[])[o]=s:n._$Cl=s),s!==void 0&&(t=De(e,s._$AS(e,t.values),s,o)),t}var on=class{constructor(t,n){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:n},parts:o}=this._$AD,s=(t?.creationScope??We).importNode(n,!0);Ne.currentNode=s;let r=Ne.nextNode(),i=0,a=0,c=o[0];for(;c!==void 0;){if(i===c.index){let u;c.type===2?u=new Ze(r,r.nextSibling,this,t):c.type===1?u=new c.ctor(r,c.name,c.strings,this,t):c.type===6&&(u=new ln(r,this,t)),this._$AV.push(u),c=o[++a]}i!==c?.index&&(r=Ne.nextNode(),i++)}return Ne.currentNode=We,s}p(t){let n=0;for(let o of this._$AV)o!==void 0&&(o.strings!==void 0?(o._$AI(t,o,n),n+=o.strings.length-2):o._$AI(t[n])),n++}},Ze=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,n,o,s){this.type=2,this._$AH=m,this._$AN=void 0,this._$AA=t,this._$AB=n,this._$AM=o,this.options=s,this._$Cv=s?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,n=this._$AM;return n!==void 0&&t?.nodeType===11&&(t=n.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,n=this){t=De(this,t,n),Ct(t)?t===m||t==null||t===""?(this._$AH!==m&&this._$AR(),this._$AH=m):t!==this._$AH&&t!==Lt&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):Cs(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==m&&Ct(this._$AH)?this._$AA.nextSibling.data=t:this.T(We.createTextNode(t)),this._$AH=t}$(t){let{values:n,_$litType$:o}=t,s=typeof o=="number"?this._$AC(t):(o.el===void 0&&(o.el=Ht.createElement(Hs(o.h,o.h[0]),this.options)),o);if(this._$AH?._$AD===s)this._$AH.p(n);else{let r=new on(s,this),i=r.u(this.options);r.p(n),this.T(i),this._$AH=r}}_$AC(t){let n=Os.get(t.strings);return n===void 0&&Os.set(t.strings,n=new Ht(t)),n}k(t){ho(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,o,s=0;for(let r of t)s===n.length?n.push(o=new e(this.O(Ot()),this.O(Ot()),this,this.options)):o=n[s],o._$AI(r),s++;s<n.length&&(this._$AR(o&&o._$AB.nextSibling,s),n.length=s)}_$AR(t=this._$AA.nextSibling,n){for(this._$AP?.(!1,!0,n);t!==this._$AB;){let o=t.nextSibling;t.remove(),t=o}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},Be=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,n,o,s,r){this.type=1,this._$AH=m,this._$AN=void 0,this.element=t,this.name=n,this._$AM=s,this.options=r,o.length>2||o[0]!==""||o[1]!==""?(this._$AH=Array(o.length-1).fill(new String),this.strings=o):this._$AH=m}_$AI(t,n=this,o,s){let r=this.strings,i=!1;if(r===void 0)t=De(this,t,n,0),i=!Ct(t)||t!==this._$AH&&t!==Lt,i&&(this._$AH=t);else{let a=t,c,u;for(t=r[0],c=0;c<r.length-1;c++)u=De(this,a[o+c],n,c),u===Lt&&(u=this._$AH[c]),i||=!Ct(u)||u!==this._$AH[c],u===m?t=m:t!==m&&(t+=(u??"")+r[c+1]),this._$AH[c]=u}i&&!s&&this.j(t)}j(t){t===m?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},sn=class extends Be{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===m?void 0:t}},rn=class extends Be{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==m)}},an=class extends Be{constructor(t,n,o,s,r){super(t,n,o,s,r),this.type=5}_$AI(t,n=this){if((t=De(this,t,n,0)??m)===Lt)return;let o=this._$AH,s=t===m&&o!==m||t.capture!==o.capture||t.once!==o.once||t.passive!==o.passive,r=t!==m&&(o===m||s);s&&this.element.removeEventListener(this.name,this,o),r&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},ln=class{constructor(t,n,o){this.element=t,this.type=6,this._$AN=void 0,this._$AM=n,this.options=o}get _$AU(){return this._$AM._$AU}_$AI(t){De(this,t)}},Ns={M:uo,P:me,A:po,C:1,L:Is,R:on,D:Cs,V:De,I:Ze,H:Be,N:rn,U:an,B:sn,F:ln},al=co.litHtmlPolyfillSupport;al?.(Ht,Ze),(co.litHtmlVersions??=[]).push("3.3.1");var Ws=(e,t,n)=>{let o=n?.renderBefore??t,s=o._$litPart$;if(s===void 0){let r=n?.renderBefore??null;o._$litPart$=s=new Ze(t.insertBefore(Ot(),r),r,void 0,n??{})}return s._$AI(e),s};var It={temperature:1,isScaled:!0,isMasked:!0},cn=({temperature:e,isScaled:t,isMasked:n})=>e===1&&t&&n;function fo({scores:e,bias:t,allowed:n,factor:o},{temperature:s,isScaled:r,isMasked:i}){let a=e.map((w,y)=>(r?w:w/o)+t[y]),c=a.map((w,y)=>y).filter(w=>n[w]||!i);c.sort((w,y)=>a[y]-a[w]);let u=a[c[0]]??0,d=a.map(()=>0);for(let w of c)d[w]=Math.exp((a[w]-u)/s);let h=d.reduce((w,y)=>w+y,0),f=d.map(w=>w/h),b=f.reduce((w,y)=>w-(y?y*Math.log(y):0),0);return{keys:c,scores:a,exponentials:d,highest:u,total:h,weights:f,entropy:b}}var Ds={result:null,sentence:null,flow:null,lookup:null,writes:null,stream:null,next:null,experiment:null,patching:null,snapshot:null},bo=()=>({server:{models:[],storedPage:null},request:{modelName:"",text:"",isHtml:!1,beamSize:5,temperature:0,seed:0,maxTokens:50,translatesWhileTyping:!0},tokenCounts:{total:null,longestSentence:0,sentenceLimit:0,truncatedSentences:0},output:{sourceText:"",sentences:[],html:"",isEarlier:!1,compared:null,options:null,isExample:!1,attribution:null},view:{sentenceIndex:0,outputPosition:0,inputPosition:null,keyPosition:null,head:"",rowShare:.9,groupsWords:!1,hidesOtherRows:!1,showsComputation:!1,isPlaying:!1,tourStop:null,hoveredToken:null},trial:{softmax:It,sampling:{isOpen:!1,temperature:1,topK:0,topP:1},otherText:null,patched:null},inspection:{...Ds},heads:{disabled:[],undoStack:[],sortBy:"place",importance:null,importanceByToken:{},ablation:null,ablatedSentence:null},search:{trace:null,candidate:null},status:{busy:{},error:"",needsApiKey:!1,notice:""}}),l=bo(),wo={output:{compared:null,attribution:null},inspection:Ds,heads:{ablation:null,ablatedSentence:null,importance:null},search:{trace:null,candidate:null},view:{hoveredToken:null}},un=[{output:{sentences:[],sourceText:"",html:"",options:null}},wo],Bs=[],go=!1;function yo(e){Bs.push(e)}function Fe(e){for(let[t,n]of Object.entries(e))Object.assign(l[t],n)}function g(...e){e.forEach(Fe),!go&&(go=!0,requestAnimationFrame(()=>{go=!1;for(let t of Bs)t()}))}var I="flow.",K="mean.",ke=["rollout","gradient","integrated-gradients"],ve=e=>e.direction??e.name??"",T=()=>l.server.models.find(e=>ve(e)===l.request.modelName),x=()=>l.output.sentences[l.view.sentenceIndex],A=()=>!l.server.storedPage&&T()?.direction!==void 0,J=()=>A()||!l.server.storedPage&&T()?.arch==="decoder";function te(){let e=T();return!l.server.storedPage&&l.inspection.snapshot===null&&e!==void 0&&e.arch!=="rnn"}var F=()=>l.output.sourceText!==""&&l.output.sourceText!==l.request.text,W=()=>l.inspection.result!==null&&l.inspection.sentence!==(x()??null),D=()=>W()||F();function Te(e=l.inspection.sentence){let t=(e?.tokens??[]).map(o=>o.token);if(!A())return t.slice(1);let n=l.inspection.result?.tokens.cross?.rows.spelled??[];return[...t,n.length>t.length?n.at(-1):"</s>"]}var $o=e=>e!=="encoder"||l.inspection.result?.target===null;var M=e=>e.split(".").slice(0,2).join("."),xo=()=>l.inspection.result?[...l.inspection.result.weights.keys()]:[],Fs=(e,t)=>e[(t+e.length)%e.length];function Qe(e){let t=xo(),n=Fs(t,t.indexOf(l.view.head)+e);n&&g({view:{head:n}})}function et(e){let t=[...new Set(xo().map(M))],n=Fs(t,t.indexOf(M(l.view.head))+e),o=xo().find(s=>M(s)===n);o&&g({view:{head:o}})}function pn(){let e=l.inspection.result?.alignment;if(!e)return;let t=e.split(".").length===3;return{head:t?e:`${K}${e}`,isOfModel:t}}function fe(){let e=pn();if(e?.isOfModel)return e.head;let t=l.inspection.result?.heads??[],n=t.filter(i=>i.head.startsWith("cross.")),o=n.length?n:t,s=o.filter(i=>i.label!=="sink"),[r]=[...s.length?s:o].sort((i,a)=>a.confidence-i.confidence);return r?.head??"mean"}var ll={"previous token":"mostly the token before","next token":"mostly the next token",diagonal:"mostly in step, from first to last","same token":"mostly the same token",induction:"mostly what came next the last time",sink:"mostly one symbol",alignment:"mostly the words that it translates",positional:"mostly at one distance"};function dn(e){let[t,n]=e.split(".");return`${l.inspection.result?.target!=null&&t==="encoder"?"Encoder layer":"Layer"} ${n}`}var ko=e=>`${dn(M(e))}, head ${e.split(".")[2]} (${e})`;function hn(e){let n=e.startsWith("decoder.")&&l.inspection.result?.target!=null?"what is written":"the text",o=ll[l.inspection.result?.heads.find(s=>s.head===e)?.label??""];return`${ko(e)}: reads ${n}${o?`, ${o}`:""}`}var tt=5;function Y(){let e=T();return e?e.direction?{source:e.source,target:e.target}:{model:e.name}:{}}var nt=()=>l.request.temperature?{method:"sample",temperature:l.request.temperature,seed:l.request.seed}:{beam_size:l.request.beamSize},ot=e=>A()?{...Y(),text:e.source,target_ids:e.ids}:{model:T().name,text:e.text,...e.ids.length?{ids:e.ids}:{}},mn=({decoding:e,prefix:t,index:n})=>({...e,...t?{prefix:t}:{},index:n});var G=class extends Error{constructor(n,o){super(o);this.status=n}},Nt=0,cl=410,qs="regard-key",ul=255;async function Gs(){try{return(await fetch("health")).ok}catch{return!1}}var js=e=>sessionStorage.setItem(qs,e);function pl(e){let t=sessionStorage.getItem(qs);return{...t?{Authorization:`Bearer ${t}`}:{},...e===void 0?{}:{"Content-Type":"application/json"}}}async function fn(e,t,n){let o={method:t===void 0?"GET":"POST",headers:pl(t),signal:n??null,body:t===void 0?null:JSON.stringify(t)},s;try{s=await fetch(e.startsWith("v1/")?e:`api/v1/${e}`,o)}catch(r){throw n?.aborted?r:new G(Nt,"The server does not answer. Is it still running?")}if(!s.ok){let r=await s.json().catch(()=>({}));throw new G(s.status,r.error?.message??`The server answered ${s.status}.`)}return s}async function N(e,t,n){return await(await fn(e,t,n)).json()}async function*Us(e,t){let n=e.body.pipeThrough(new TextDecoderStream).getReader(),o="";for(;;){let{value:s,done:r}=await n.read().catch(a=>{throw t.aborted?a:new G(Nt,"The server went away while it was answering. Is it still running?")});if(r)return;let i=(o+s).split(`

`);o=i.pop()??"";for(let a of i){let[c,u]=a.split(`
`);yield{name:c.slice(7),data:JSON.parse(u.slice(6))}}}}async function*Vs(e,t){let n=await fn("stream",e,t);for await(let o of Us(n,t))yield o}async function st(e,t,n,o=N){try{return await o(`inspect/${e.id}/${t}`,void 0,n)}catch(s){if(!(s instanceof G)||s.status!==cl)throw s;return e.id=(await N("inspect",e.request,n)).id,await o(`inspect/${e.id}/${t}`,void 0,n)}}async function Ks(e,t,n,o){return await st(e,t,n,async s=>{for await(let r of Us(await fn(s,void 0,n),n)){let{name:i,data:a}=r;if(i==="error")throw new G(a.status,a.message);if(i==="done")return a;n.aborted||o(a.done,a.total)}throw new G(Nt,"The server went away while it was answering. Is it still running?")})}async function dl(e,t,n){let o=await fn(`inspect/${e}/attention/${t}`,void 0,n),{headers:s}=o,r=new Uint8Array(await o.arrayBuffer()),[,i,a]=s.get("X-Shape").split(",").map(Number),c=Number(s.get("X-Scale"));return s.get("X-Heads").split(",").map((d,h)=>{let f=r.subarray(h*i*a,(h+1)*i*a);return[d,{rows:i,keys:a,values:f,scale:c,forbidden:ul}]})}async function rt(e,t){let n=T()?.arch!=="rnn",o=await N("inspect",{...e,lens:n},t),s=Object.keys(o.tokens),r=await Promise.all(s.map(i=>dl(o.id,i,t)));return{...o,request:e,weights:new Map(r.flat())}}var hl=403,ml=2e3,fl=4e3,Se=new Map;async function P(e,t,n){Se.get(e)?.abort();let o=new AbortController;Se.set(e,o),e==="translate"&&(bl(),g({output:{isEarlier:!0}})),t&&g({status:{busy:{...l.status.busy,[e]:t},error:""}});try{return await n(o.signal),!o.signal.aborted}catch(s){return o.signal.aborted||gl(s),!1}finally{Se.get(e)===o&&Xs(e)}}function it(e,t){g({status:{busy:{...l.status.busy,[e]:t}}})}function gl(e){let t=e instanceof G?e.status:void 0,n=e instanceof Error?e.message:String(e);g({status:{error:n,needsApiKey:t===hl}}),t===Nt&&Ys()}function bl(){let e=document.querySelector(".translate, .named");e&&!e.style.minHeight&&(e.style.minHeight=`${e.offsetHeight}px`)}function wl(){let e=document.querySelector(".translate, .named");e&&(e.style.minHeight="")}function Xs(e){Se.delete(e),e==="translate"&&at(()=>{Se.has(e)||wl()}),g({status:{busy:Object.fromEntries(Object.entries(l.status.busy).filter(([t])=>t!==e))}})}function at(e){requestAnimationFrame(()=>requestAnimationFrame(e))}var vo=0,zs=()=>Promise.resolve();function Js(e){zs=e}function Ys(){clearTimeout(vo),vo=window.setTimeout(()=>{Gs().then(e=>{e?To():l.status.error&&Ys()})},ml)}async function To(){clearTimeout(vo),g({status:{error:"",needsApiKey:!1}}),await zs()}function Zs(e){g({status:{notice:e}}),setTimeout(()=>{l.status.notice===e&&g({status:{notice:""}})},fl)}var Wt=e=>Se.has(e);function Qs(){for(let e of[...Se.keys()])Re(e)}function Re(e){Se.get(e)?.abort(),Xs(e)}var yl=50;async function lt(e){let{disabled:t}=l.heads,n=e.every(o=>t.includes(o));await ge(n?t.filter(o=>!e.includes(o)):[...new Set([...t,...e])])}async function ge(e){let{undoStack:t,disabled:n}=l.heads;g({heads:{disabled:e,undoStack:[...t,n].slice(-yl)}}),await ne()}async function er(){let{undoStack:e}=l.heads;g({heads:{disabled:e.at(-1)??[],undoStack:e.slice(0,-1)}}),await ne()}async function ne(){let{sentence:e}=l.inspection;if(!l.heads.disabled.length)return Re("ablate"),g({heads:{ablation:null,ablatedSentence:null}});!e?.isDone||!te()||W()||await P("ablate","Running without heads",async t=>{let n=A()?mn(e):{prompt:e.source,...e.decoding},o={...ot(e),heads:l.heads.disabled,together:!0,...n},{ablations:s=[],predicted:r}=await N("ablate",o,t),[i]=s;g({heads:{ablation:i?{...i,predicted:r}:null,ablatedSentence:e}})})}async function ct(){let{result:e,sentence:t}=l.inspection;if(!t?.isDone||!e||W())return;let n=[...e.weights.keys()],o=[...new Set(n.map(M))],s=r=>`Taking each head away: ${r} of ${n.length}`;await P("rank",s(0),async r=>{let i={},a={};for(let c of o){let u=n.filter(h=>M(h)===c),d=await N("ablate",{...ot(t),sweep:!0,heads:u},r);if(l.inspection.result!==e)return;i={...i,...d.worth},a={...a,...d.by_token},g({heads:{importance:i,importanceByToken:a}}),it("rank",s(Object.keys(i).length))}g({heads:{sortBy:"worth"}})}),l.status.error&&l.inspection.result===e&&g({heads:{importance:null,importanceByToken:{}}})}var wn=null,j=()=>wn;function Ae(){wn=null}var $l=()=>({edits:l.output.sentences.flatMap(({edit:e},t)=>e?[{sentenceIndex:t,edit:e}]:[]),snapshot:l.inspection.snapshot,compared:l.output.compared,tracesSearch:l.search.trace!==null&&l.search.trace.source===x()?.source,ranksHeads:l.heads.importance!==null}),xl=16,kl=1e3,vl=5,Tl=1e9,gn=e=>e==="true",ut=(e,t,n=!0)=>o=>{let s=Number(o);return o.trim()!==""&&s>=e&&s<=t&&(!n||Number.isInteger(s))?s:void 0},bn=ut(0,Tl),tr=e=>/^(encoder|decoder|cross)\.\d{1,9}\.\d{1,9}$/.test(e),Sl=e=>e==="mean"||/^mean\.[a-z]+\.\d{1,9}$/.test(e),Rl=e=>ke.some(t=>e===`${I}${t}`),Al=e=>tr(e)||Sl(e)||Rl(e)?e:void 0,El=e=>e.split(",").filter(tr),B=(e,t,n)=>({group:e,field:t,parse:n}),Ro={direction:B("request","modelName",String),text:B("request","text",String),beam:B("request","beamSize",ut(1,xl)),temperature:B("request","temperature",ut(0,vl,!1)),seed:B("request","seed",ut(0,Number.MAX_SAFE_INTEGER)),length:B("request","maxTokens",ut(1,kl)),at:B("view","sentenceIndex",bn),step:B("view","outputPosition",bn),source:B("view","inputPosition",bn),key:B("view","keyPosition",bn),head:B("view","head",Al),share:B("view","rowShare",ut(.1,1,!1)),words:B("view","groupsWords",gn),alone:B("view","hidesOtherRows",gn),isExplained:B("view","showsComputation",gn),isHtml:B("request","isHtml",gn),sortBy:B("heads","sortBy",String),off:B("heads","disabled",El)},Pl=["direction","text","beam","temperature","seed","length","at","off","isHtml"],Ao=(e,{group:t,field:n})=>e[t][n]??null,nr=bo(),Ml={temperature:"temperature",seed:"seed",length:"maxTokens"},yn=()=>F()&&!l.status.error?l.output.sourceText:l.request.text;function _l(e){if(e==="text")return yn();let t=Ml[e];return t&&l.output.options?l.output.options[t]:Ao(l,Ro[e])}var Ol=({sentenceIndex:e,edit:t})=>t.kind==="prefix"?[e,t.position,t.prefix,t.token,[]]:[e,null,t.text,"",t.ids];function Cl(){let{edits:e,snapshot:t,compared:n,tracesSearch:o,ranksHeads:s}=wn??$l();return[["edits",e.length?JSON.stringify(e.map(Ol)):null],["compared",n&&JSON.stringify([n.text,n.ids])],["snapshot",t===null?null:String(t)],["searched",o?"true":null],["ranked",s?"true":null]].filter(i=>i[1]!==null)}var Ll=e=>e==="text"||e==="direction"||e==="head"&&l.view.head===fe();function or(){let{storedPage:e}=l.server,t=new URLSearchParams;for(let[n,o]of Object.entries(Ro)){let s=_l(n);e&&Pl.includes(n)||s===null||s===Ao(nr,o)||String(s)===""||t.set(n,String(s))}if(!e)for(let[n,o]of Cl())t.set(n,o);return t}function sr(){let e=or();return`#${l.output.isExample&&[...e.keys()].every(Ll)?"":e}`}var rr=()=>`${location.href.split("#")[0]}#${or()}`,So=e=>Number.isSafeInteger(e)&&e>=0,ir=e=>Array.isArray(e)?e.filter(So):[];function ar(e){try{return JSON.parse(e??"null")}catch{return null}}function Hl(e){if(!Array.isArray(e))return[];let[t,n,o,s,r]=e;return!So(t)||typeof o!="string"?[]:n===null?[{sentenceIndex:t,edit:{kind:"translation",text:o,ids:ir(r)}}]:So(n)?[{sentenceIndex:t,edit:{kind:"prefix",position:n,prefix:o,token:typeof s=="string"?s:""}}]:[]}function Il(e){let t=ar(e);return Array.isArray(t)?t.flatMap(Hl):[]}function Nl(e){let t=ar(e);return Array.isArray(t)&&typeof t[0]=="string"?{text:t[0],ids:ir(t[1])}:e?{text:e,ids:[]}:null}function Eo(){let e=new URLSearchParams(location.hash.slice(1)),t={};for(let[o,s]of Object.entries(Ro)){let r=e.get(o),i=r?s.parse(r):void 0;i===void 0&&o==="direction"||((t[s.group]??={})[s.field]=i??Ao(nr,s))}let n=Number(e.get("snapshot")??NaN);return wn={edits:Il(e.get("edits")),snapshot:n>=0?n:null,compared:Nl(e.get("compared")),tracesSearch:e.has("searched"),ranksHeads:e.has("ranked")},t}var $n=()=>Fe(Eo());function Wl(e){let t=document.createElement("textarea"),{activeElement:n}=document;t.value=e,t.className="unseen",document.body.append(t),t.select();let o=!1;try{o=document.execCommand("copy")}catch{}return t.remove(),n?.focus(),o}var Po="Copied.",xn="Link copied.";async function kn(e,t=Po){let n=!1;try{await navigator.clipboard.writeText(e),n=!0}catch{n=Wl(e)}Zs(n?t:`The browser does not allow copying here. ${t===xn?"Copy the address of the page.":"Select the text, and copy it with the keyboard."}`)}var Mo=new Map,lr=()=>Mo.clear();function Z(e){let t=Mo.get(e);if(t)return t;let n=getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim(),o=[1,3,5].map(s=>parseInt(n.slice(s,s+2),16));return Mo.set(e,o),o}var pe=(e,t)=>`rgba(${Z(e).join(", ")}, ${t.toFixed(3)})`,X=e=>getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim();var Dl=/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u,Bl=new RegExp(String.raw`\s+|${Dl.source}|[\p{L}\p{M}\p{N}]+|.`,"gu"),Fl=4e6,qe=e=>[...e.matchAll(Bl)].map(({0:t,index:n})=>({text:t,begin:n}));function vn(e,t){let n=d=>d.map(h=>h.text).filter(h=>h.trim()),o=n(e),s=n(t),r=Math.min(o.length,s.length),i=0,a=0;for(;i<r&&o[i]===s[i];)i++;for(;a<r-i&&o.at(-1-a)===s.at(-1-a);)a++;let c=ql(o.slice(i,o.length-a),s.slice(i,s.length-a)),u=(d,h,f)=>{let b=new Set(c.map(y=>y[h]+i)),w=-1;return d.map(y=>y.text.trim()!==""&&++w>=i&&w<f-a&&!b.has(w))};return[u(e,0,o.length),u(t,1,s.length)]}function ql(e,t){let n=[],o=t.length+1;if(e.length*t.length>Fl)return n;let s=new Uint32Array((e.length+1)*o),r=(i,a)=>s[i*o+a];for(let i=e.length-1;i>=0;i--)for(let a=t.length-1;a>=0;a--){let c=e[i]===t[a];s[i*o+a]=c?r(i+1,a+1)+1:Math.max(r(i+1,a),r(i,a+1))}for(let i=0,a=0;i<e.length&&a<t.length;)e[i]===t[a]?n.push([i++,a++]):r(i+1,a)>=r(i,a+1)?i++:a++;return n}function cr(e,t){let n=[qe(e),qe(t)],o=vn(...n),s=r=>n[r].filter((i,a)=>o[r][a]).map(i=>i.text);return[s(0),s(1)]}var Gl=1500,jl=8,Ul=60,Vl=20,Kl=["request","tokenCounts","output","view","trial","inspection","heads","search"],pt=new Map,Xl=0,_o=()=>`${performance.timeOrigin}/${Xl++}`,pr=()=>location.protocol!=="about:",Oo=()=>history.state?.entry,Ee=Oo()??_o(),Bt=!1,Ft=!0,Ge=null,Dt=null,Tn=0;function U(){Bt=!0,Ft=!0}function dr(){Ft=!0,g({})}var Co=()=>!!l.status.busy.translate||F();function zl(e){Co()||l.status.error||!l.output.sourceText?(clearTimeout(Tn),Dt=null):Ft?(Ge=e,Ft=!1):e!==Ge&&e!==Dt&&(Dt=e,clearTimeout(Tn),Tn=window.setTimeout(()=>{Dt===e&&(Ge=e)},Gl))}function Jl(){!(!Co()&&!W()&&!Object.keys(l.status.busy).length)||l.status.error||j()||!l.output.sourceText||(pt.delete(Ee),pt.set(Ee,Object.fromEntries(Kl.map(t=>[t,{...l[t]}]))),pt.size>jl&&pt.delete(pt.keys().next().value))}var ur=(e,t)=>{let n=[...e];return n.length>t?`${n.slice(0,t-1).join("").trimEnd()}…`:e};function Yl(){let e=T(),t=[...e?[ur(ve(e),Vl)]:[],"Regard"].join(" · "),[n=""]=yn().trim().split(`
`);return n?`${ur(n,Ul-t.length-3)} · ${t}`:"Regard"}function hr(){if(j()&&F())return;let e=yn(),t=sr();t===(location.hash||"#")||!pr()?Co()||(Bt=!1):Bt||Ge!==null&&e!==Ge?(Ee=_o(),history.pushState({entry:Ee},"",t),[Bt,Ge]=[!1,null]):history.replaceState({entry:Ee},"",t),l.server.storedPage||(document.title=Yl()),zl(e),Jl()}function Lo(){Oo()===void 0&&pr()&&history.replaceState({entry:Ee},"",location.href)}function mr(){clearTimeout(Tn),[Bt,Ft,Ge,Dt]=[!1,!0,null,null],Ee=Oo()??_o(),Lo();let e=pt.get(Ee);if(!e)return!1;Qs(),Ae();let{tourStop:t}=l.view;return g(e,{view:{tourStop:t,hoveredToken:null,isPlaying:!1},status:{error:""}}),!0}var dt=e=>JSON.stringify([l.request.modelName,e.source,l.request.beamSize,e.prefix]);async function Pe(){let e=x();e?.isDone&&await P("search","Searching",async t=>{let n=dt(e),o={...Y(),text:e.source,beam_size:l.request.beamSize,trace:!0,split:!1,...e.prefix?{prefix:e.prefix}:{}},s=await N("translate",o,t),r=x();r&&dt(r)===n&&g({search:{trace:{...s,requestKey:n,source:e.source},candidate:null}})})}function Zl(e,{weights:t}){return e==="mean"||t.has(e)||ke.some(n=>e===`${I}${n}`)?!0:[...t.keys()].some(n=>e===`${K}${M(n)}`)}function qt(e,t,n=null){let{head:o,outputPosition:s}=l.view,r=l.heads.disabled.filter(i=>e.weights.has(i));Fe({inspection:{result:e},trial:{otherText:null,patched:null}}),g({inspection:{result:e,sentence:t,snapshot:n},heads:{disabled:r,importance:null,importanceByToken:{}},view:{head:Zl(o,e)?o:fe(),outputPosition:Math.max(0,Math.min(s,t.tokens.length-1))}},r.length?{}:{heads:{ablation:null,ablatedSentence:null}}),l.view.head.startsWith(I)&&oe(l.view.head)}async function V(){let e=x();if(!e?.isDone||!e.text||!A()||(await P("inspect","Looking inside",async n=>{qt(await rt(ot(e),n),e)}),W()))return;l.heads.disabled.length&&await ne();let{trace:t}=l.search;t?.source===e.source&&t.requestKey!==dt(e)&&await Pe()}async function Sn(e){let t=x();!t?.isDone||!t.text||(g({inspection:{snapshot:e}}),await P("inspect","Loading a snapshot",async n=>{let o={...ot(t),snapshot:e,...mn(t)};qt(await rt(o,n),t,e)}))}async function oe(e){let t=l.inspection.result;if(!e.startsWith(I)||!t)return g({view:{head:e},inspection:{flow:null}});await P("flow","Following the layers",async n=>{let o=await st(t,`flow/${e.slice(I.length)}`,n);l.inspection.result===t&&g({view:{head:e},inspection:{flow:{...o,inspection:t}}})})}var fr="";function wr(e){let{result:t,lookup:n}=l.inspection,{head:o,showsComputation:s}=l.view;if(!t?.weights.has(o)||!s||W())return;let r=No(e),i=fr===r&&(Wt("lookup")||l.status.error!=="");n?.cell===r||i||(fr=r,P("lookup","",async a=>{let c=await st(t,`lookup/${o}/${e.row}/${e.key}`,a);g({inspection:{lookup:{result:c,view:e,cell:r}}})}))}var ht=()=>T()?.no_parts??"",gr={writes:"",stream:"",next:""};function Ho(e,t,n,o){let{result:s}=l.inspection;if(!s||W())return;let r=gr[e]===t&&(Wt(e)||l.status.error!=="");l.inspection[e]?.cell===t||r||(gr[e]=t,P(e,"",async i=>{o(await st(s,n,i))}))}function yr(e){let{head:t}=l.view;if(!l.inspection.result?.weights.has(t)||ht())return;let n=Me(e.row,t);Ho("writes",n,`writes/${t}/${e.row}`,o=>{g({inspection:{writes:{result:o,view:e,cell:n}}})})}function $r(e){let t=Me(e);ht()||Ho("stream",t,`stream/${e}`,n=>{g({inspection:{stream:{result:n,cell:t}}})})}function xr(e){let{temperature:t,topK:n,topP:o}=l.trial.sampling,s=`temperature=${t}&top_k=${n}&top_p=${o}`,r=Me(e,s);return Ho("next",r,`next/${e}?${s}`,i=>{g({inspection:{next:{result:i,cell:r}}})}),r}async function kr(e,t){let{result:n}=l.inspection;!n||W()||await P("experiment","Trying",async o=>{let s=`experiment/${e}?seed=${t}`,r=await st(n,s,o);g({inspection:{experiment:{result:r,inspection:n}}})})}var Io=()=>A()?l.inspection.sentence?.prefix??"":"";async function vr(e){let{result:t}=l.inspection;!t||W()||await P("patching","Patching",async n=>{let o=Io(),s=o?`&prefix=${encodeURIComponent(o)}`:"",r=`patch?other=${encodeURIComponent(e)}${s}&stream=true`,i=await Ks(t,r,n,(a,c)=>it("patching",`Patching: ${a} of ${c} runs of the model`));g({inspection:{patching:{result:i,other:e,inspection:t}},trial:{patched:Ql(i)}})})}function Ql({effects:e}){let[t,n]=Object.entries(e)[0],o=n.flatMap((r,i)=>r.map((a,c)=>({stack:t,layer:i,position:c,effect:a}))),[s]=o.sort((r,i)=>Number(i.effect.toFixed(2))-Number(r.effect.toFixed(2))||r.layer-i.layer);return s??null}var ec=0,br=new WeakMap;function Me(e,t=""){let n=l.inspection.result,o=br.get(n)??++ec;return br.set(n,o),`${o}/${t}/${e}`}var No=({row:e,key:t})=>`${Me(e,l.view.head)}/${t}`;async function Tr(){await P("models","",async e=>{let{models:t}=await N("models",void 0,e),[n]=t;if(!n)throw new Error("The server has no model.");let o=t.some(s=>ve(s)===l.request.modelName);g({server:{models:t},request:{modelName:o?l.request.modelName:ve(n)},status:{error:"",needsApiKey:!1}})})}async function mt(){await P("count","",async e=>{if(!l.request.text.trim()||!A())return g({tokenCounts:{total:null}});let t={...Y(),text:l.request.text},n=await N("tokenize",t,e),o=n.sentences.map(s=>s.tokens.length);g({tokenCounts:{total:o.reduce((s,r)=>s+r,0),longestSentence:Math.max(0,...o),sentenceLimit:n.max_tokens,truncatedSentences:n.num_cut}})})}var Sr=()=>l.inspection.sentence?.numGiven??0,Rn=e=>Math.max(0,(e?.numGiven??0)-1);function ft(e,t){return e<t?"given":t>0&&e===t?"begins-written":""}var An=(e,t)=>e?` Of ${t} tokens, the first ${e} were given; the others were written by the model.`:"",Wo=e=>e?p`<span class="given-legend"
        ><span class="given">given</span> <i class="boundary"></i>
        <span class="written">written by the model</span></span
      >`:m;var gt=()=>({source:"",text:"",tokens:[],ids:[],score:0,nBest:[],decoding:{},index:0,prefix:"",original:null,edit:null,isDone:!1,numGiven:0});function Do(e,t){e.tokens=t.tokens.map((n,o)=>({token:n,log_prob:t.token_log_probs[o],alternatives:t.alternatives?.[o]??e.tokens[o]?.alternatives??[]}))}var Q=e=>e.join("").replaceAll("▁"," ").trimStart(),En=(e,t)=>e.text===t.text&&String(e.ids)===String(t.ids),_e=e=>/^<[^<>]+>$/.test(e);function je(e,t,n="inserted"){let o=qe(e),[s]=vn(o,qe(t)),r=i=>n==="deleted"?p`<del>${i}</del>`:p`<mark>${i}</mark>`;return p`${o.map((i,a)=>s[a]?r(i.text):i.text)}`}var Rr=e=>_e(e)?`
`:e.replaceAll("▁"," ");function Bo({tokens:e,original:t}){if(!t)return e.map(()=>!1);let n=e.map(i=>Rr(i.token)),o=qe(n.join("")),[s]=vn(o,qe(t.tokens.map(i=>Rr(i.token)).join(""))),r=0;return n.map(i=>{let a=r;r+=i.length;let c=u=>u.begin<r&&u.begin+u.text.length>a;return o.some((u,d)=>s[d]&&c(u))})}var $=e=>e.replace(/^▁/,"").replaceAll("▁","␣")||"␣",tc=/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u,se=e=>tc.test(/\p{Letter}/u.exec(e)?.[0]??"")?"rtl":"ltr",nc=/[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mongolian}]/u,oc=[/[\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb]/u,/[\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef]/u];function Ar(e="",t=""){let n=/(.)\p{M}*$/u.exec(e)?.[1]??"",o=/^./u.exec(t)?.[0]??"",s=r=>nc.test(r)&&/\p{L}/u.test(r);return s(n)&&s(o)&&!oc.some(r=>r.test(n))&&o!=="ء"}function bt(e,t){let n=Ar(e[t-1],e[t])?["joins-before"]:[],o=Ar(e[t],e[t+1])?["joins-after"]:[];return[...n,...o].join(" ")}var de=(e,t,n)=>e.values[t*e.keys+n]===e.forbidden;function Oe(e,t,n){let o=e.values[t*e.keys+n];return o===e.forbidden?0:o/e.scale}var wt=(e,t)=>Array.from({length:e.keys},(n,o)=>Oe(e,t,o));function Pn(e,t){let n=e.map((i,a)=>a).sort((i,a)=>e[a]-e[i]),o=new Set,s=e.reduce((i,a)=>i+a,0),r=0;for(let i of n){if(e[i]===0||r>=t*s&&t<1)break;o.add(i),r+=e[i]}return o}var Fo=(e,t)=>({rows:e,keys:t,values:new Float32Array(e*t),scale:1,forbidden:-1});function Er(e){let t=Fo(e.length,e[0]?.length??0);return t.values.set(e.flat().map(n=>n??t.forbidden)),t}function Pr(e){let[t]=e,n=Fo(t.rows,t.keys);for(let{values:o,scale:s,forbidden:r}of e)for(let i=0;i<o.length;i++)n.values[i]+=o[i]===r?0:o[i]/s/e.length;for(let o=0;o<t.values.length;o++)t.values[o]===t.forbidden&&(n.values[o]=n.forbidden);return n}function Mr(e){let t=[];return e.words.forEach((n,o)=>{n!==null&&o>0&&e.words[o-1]===n?t.at(-1).push(o):t.push([o])}),t}function _r(e,t,n){let o=Fo(t.length,n.length);return t.forEach((s,r)=>{n.forEach((i,a)=>{let c=s.every(h=>i.every(f=>de(e,h,f))),u=h=>i.reduce((f,b)=>f+Oe(e,h,b),0),d=s.reduce((h,f)=>h+u(f),0);o.values[r*n.length+a]=c?o.forbidden:d/s.length})}),o}var Nr=new WeakMap,Wr=e=>Nr.get(e);function Dr(e){let t=new OffscreenCanvas(e.width,e.height);return t.getContext("2d").putImageData(e,0,0),Nr.set(t,e),t}var Or=new WeakMap;function Br(e,t){let n=Or.get(e)??new Map,o=[t,...Z("paper"),...Z("heat")].join(" "),s=n.get(o)??sc(e,t);return Or.set(e,n.set(o,s)),s}function Go(e,t,n,o,s){for(let r=0;r<3;r++)e.data[4*t+r]=n[r]+s*(o[r]-n[r]);e.data[4*t+3]=255}function sc(e,t){let n=Math.min(e.rows,t),o=Math.min(e.keys,t),s=new Float32Array(o*n).fill(-1);for(let u=0;u<e.rows;u++)for(let d=0;d<e.keys;d++){if(de(e,u,d))continue;let h=Math.floor(u*n/e.rows)*o+Math.floor(d*o/e.keys);s[h]=Math.max(s[h],Oe(e,u,d))}let r=new ImageData(o,n),[i,a,c]=[Z("paper"),Z("heat"),Z("forbidden")];return s.forEach((u,d)=>{u<0?Go(r,d,c,c,1):Go(r,d,i,a,u)}),Dr(r)}var rc={path:"",stroke:"none",thickness:0},Uo=new WeakMap,Fr=e=>Uo.get(e);function qr(e,t,n=!1){Uo.set(e,{image:t,left:0,top:0,width:0,height:0,isMirrored:n,labels:[],frames:[],hatching:rc}),e.width=t.width,e.height=t.height;let o=e.getContext("2d");n&&o.transform(-1,0,0,1,t.width,0),o.drawImage(t,0,0)}function Gr(e,t,n,o){qr(e,Br(t,n),o)}function jr(e,t,n){let o=new ImageData(n,t.length),s=Math.max(...t.flat().map(Math.abs),1e-9);t.forEach((r,i)=>{r.forEach((a,c)=>{let u=Z(a<0?"less":"more");Go(o,i*n+c,Z("paper"),u,Math.abs(a)/s)})}),qr(e,Dr(o))}var jo=14,ic=120,Cr=10,ac=4,Lr=44,lc=60,cc=800,uc=640,pc=1.2,qo=6,Mn="13px system-ui, sans-serif";function Hr(e,t,n){let o=s=>e.measureText(s).width;return t.map(s=>{let r=[...$(s)];if(o(r.join(""))<=n)return r.join("");for(;r.length>1&&o(`${r.join("")}…`)>n;)r.pop();return`${r.join("")}…`})}function Ir(e,t,n){let o=Math.max(Math.ceil(jo/t),1);return Array.from({length:e},(s,r)=>r).filter(s=>s===n||s%o===0&&Math.abs(s-n)>=o)}function dc(e,t,n){let{weights:o,rows:s,keys:r,numGiven:i,chosen:a,isMirrored:c}=t;e.font=Mn;let u=Math.min(ic,n*.25),d=Hr(e,s,u),h=Hr(e,r,u),f=O=>Math.max(...O.map(ue=>e.measureText(ue).width)),b=f(d)+Cr,w=n>cc?lc:Lr,y=Math.max(uc*w/Lr/s.length,2*qo),v=Math.max(pc,Math.min(w,(n-b-2)/r.length,y)),S=v>=qo?Math.floor(v):v,R=f(h)+ac<=S,L=(R?jo:f(h))+Cr,q=S*r.length,le=S*s.length,ce=O=>b+S*(c?r.length-1-O:O),Pt={rows:Ir(s.length,S,a.row),keys:Ir(r.length,S,a.key)},en=(O,ue)=>X(O?"accent":ue?"faint":"ink"),el=[...Pt.rows.map(O=>({text:d[O],x:b-6,y:L+S*(O+.5),isVertical:!1,fill:en(O===a.row,O<i.rows)})),...Pt.keys.map(O=>({text:h[O],x:ce(O)+.5*(S+(R?e.measureText(h[O]).width:0)),y:L-6-(R?jo/2:0),isVertical:!R,fill:en(O===a.key,O<i.keys)}))],Rs={stroke:X("accent"),thickness:1.5},tl=[{x:b-.5,y:L-.5,width:q+1,height:le+1,stroke:X("line"),thickness:1},...hc(i,{left:b,top:L,size:S,width:q,height:le,isMirrored:c}),{x:b,y:L+S*a.row,width:q,height:S,...Rs},{x:ce(a.key),y:L,width:S,height:le,...Rs}],nl=Br(o,1/0),ol=(O,ue)=>S>=qo&&de(o,O,ue),sl=(O,ue)=>{let[Mt,He,tn]=[ce(ue),L+S*O,S/2];return`M ${Mt} ${He+tn} L ${Mt+tn} ${He} M ${Mt+tn} ${He+S} L ${Mt+S} ${He+tn}`},rl={path:s.flatMap((O,ue)=>r.map((Mt,He)=>ol(ue,He)?sl(ue,He):"")).join(""),stroke:X("hatching"),thickness:1};return{plan:{image:nl,left:b,top:L,width:q,height:le,isMirrored:c,labels:el,frames:tl,hatching:rl},layout:{left:b,top:L,size:S,...Pt}}}function hc({rows:e,keys:t},{left:n,top:o,size:s,width:r,height:i,isMirrored:a}){let c={stroke:X("faint"),thickness:1},u=s*t,[d,h]=[{x:n,y:o,width:r,height:s*e,...c},{x:a?n+r-u:n,y:o,width:u,height:i,...c}];return[...e?[d]:[],...t?[h]:[]]}function Ur(e,t,n){let o=e.getContext("2d"),{plan:s,layout:r}=dc(o,t,n),{image:i,left:a,top:c,width:u,height:d,isMirrored:h,labels:f,frames:b,hatching:w}=s;Uo.set(e,s);let y=window.devicePixelRatio||1;e.width=Math.round((a+u+2)*y),e.height=Math.round((c+d+2)*y),e.style.width=`${a+u+2}px`,e.style.height=`${c+d+2}px`,o.scale(y,y),o.imageSmoothingEnabled=!1,o.save(),h&&o.transform(-1,0,0,1,2*a+u,0),o.drawImage(i,a,c,u,d),o.restore(),o.strokeStyle=w.stroke,o.lineWidth=w.thickness,o.stroke(new Path2D(w.path));for(let v of f)Vo(o,v);for(let v of b)o.strokeStyle=v.stroke,o.lineWidth=v.thickness,o.strokeRect(v.x,v.y,v.width,v.height);return r}function Vo(e,{text:t,x:n,y:o,isVertical:s,fill:r}){e.save(),e.translate(n,o),s&&e.rotate(-Math.PI/2),e.font=Mn,e.textAlign=s?"left":"right",e.textBaseline="middle",e.fillStyle=r,e.fillText(`⁨${t}⁩`,0,0),e.restore()}var Gt=12,mc="select, input, textarea, .unseen, .explanation, .save, .peek, [data-unsaved]",fc=e=>e==="transparent"||e==="rgba(0, 0, 0, 0)";function*gc(e,t,n){let o=document.createRange(),s=e.parentElement,r=s instanceof SVGGraphicsElement?s.getScreenCTM().a:1;for(let{0:i,index:a}of e.data.matchAll(/\S+/gu)){o.setStart(e,a),o.setEnd(e,a+i.length);let{x:c,y:u,width:d,height:h}=o.getBoundingClientRect(),f=`${t.fontStyle} ${t.fontWeight} ${r*parseFloat(t.fontSize)}px ${t.fontFamily}`;d&&(yield{kind:"text",x:c,y:u,width:d,height:h,text:i,fill:n,font:f,direction:t.direction})}}function*bc(e,{x:t,y:n,width:o,height:s},r){let i=Fr(e);if(!i||!o)return;let{image:a,isMirrored:c}=i,u=i.width?{x:t+i.left,y:n+i.top,width:i.width,height:i.height}:{x:t,y:n,width:o,height:s};yield{kind:"cells",image:a,isMirrored:c,opacity:r,...u},i.hatching.path&&(yield{kind:"line",...{...u,...i.hatching,fill:"none",opacity:r,dashes:""},origin:[t,n],scale:[1,1]});for(let d of i.frames)yield{kind:"frame",radius:0,...d,x:t+d.x,y:n+d.y};for(let d of i.labels)yield{kind:"label",...d,x:t+d.x,y:n+d.y,width:0,height:0}}function*wc(e,t,n){let{x:o,y:s,width:r,height:i}=n,a=parseFloat(t.borderRadius)||0,c=(d,h=2)=>({kind:"frame",stroke:d,thickness:h,radius:a,...n}),u=(d,h,f=2)=>({kind:"line",...n,path:d,origin:[o,s],scale:[1,1],fill:"none",stroke:h,thickness:f,opacity:1,dashes:""});e.matches(".cell")&&(yield c(t.borderTopColor,e.getAttribute("aria-pressed")==="true"?4:1.5)),e.matches(".cell.off")&&(yield u(`M 0 0 L ${r} ${i}`,X("ink"))),e.matches("del")&&(yield u(`M 0 ${i/2} L ${r} ${i/2}`,X("faint"),1)),e.matches('.token[aria-pressed="true"], .part.here')&&(yield c(X("accent"))),e.matches(".token.prefix-end")&&(yield c(X("ink"))),e.matches(".token.new, u.new")&&(yield u(`M 2 ${i-1} L ${r-2} ${i-1}`,X("ink")))}function yc(e,t,{x:n,y:o,width:s,height:r}){let{a:i,d:a,e:c,f:u}=e.getScreenCTM();return{kind:"line",x:n,y:o,width:s,height:r,path:e.getAttribute("d"),origin:[c,u],scale:[i,a],fill:t.fill,stroke:t.stroke,thickness:parseFloat(t.strokeWidth),opacity:Number(t.opacity),dashes:t.strokeDasharray==="none"?"":t.strokeDasharray.replaceAll("px","")}}function*Vr(e){let{x:t,y:n,width:o,height:s}=e.getBoundingClientRect(),r={x:t,y:n,width:o,height:s},i=getComputedStyle(e);if(e.matches(mc)||i.visibility==="hidden")return;let a=e instanceof SVGElement,c=Number(i.opacity);if(e instanceof HTMLCanvasElement)yield*bc(e,r,c);else if(e instanceof SVGPathElement)yield yc(e,i,r);else if(e instanceof SVGRectElement)i.fill==="none"?yield{kind:"frame",...r,stroke:i.stroke,thickness:2,radius:4}:yield{kind:"box",...r,fill:i.fill,opacity:c,radius:0};else if(!a&&o&&!fc(i.backgroundColor)){let u=parseFloat(i.borderRadius)||0;yield{kind:"box",...r,fill:i.backgroundColor,opacity:1,radius:u}}for(let u of e.childNodes)u instanceof Text?yield*gc(u,i,a?i.fill:i.color):u instanceof Element&&u.tagName!=="title"&&(yield*Vr(u));a||(yield*wc(e,i,r))}function _n(e){let{classList:t}=document.documentElement;t.add("saving");try{return $c(e)}finally{t.remove("saving")}}function $c(e){let t=[],n=Gt,o=0;for(let s of e.flatMap(r=>[...document.querySelectorAll(r)])){let r=s.getBoundingClientRect(),i=r.x-s.scrollLeft,a=r.y-s.scrollTop,c=n;for(let u of Vr(s)){let d=u.x-i+Gt,h=u.y-a+n;t.push(u.kind==="line"?{...u,x:d,y:h,origin:[u.origin[0]-i+Gt,u.origin[1]-a+n]}:{...u,x:d,y:h}),o=Math.max(o,d+u.width),c=Math.max(c,h+u.height)}n=c+Gt}return{shapes:t,width:Math.ceil(o+Gt),height:Math.ceil(n),paper:X("paper")}}var On=2;function xc(e,t){let{x:n,y:o,width:s,height:r}=t;if(e.save(),t.kind==="box")e.globalAlpha=t.opacity,e.fillStyle=t.fill,e.beginPath(),e.roundRect(n,o,s,r,Math.min(t.radius,r/2)),e.fill();else if(t.kind==="frame")e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.beginPath(),e.roundRect(n,o,s,r,t.radius),e.stroke();else if(t.kind==="cells")e.imageSmoothingEnabled=!1,e.globalAlpha=t.opacity,t.isMirrored&&e.transform(-1,0,0,1,2*n+s,0),e.drawImage(t.image,n,o,s,r);else if(t.kind==="label")Vo(e,t);else if(t.kind==="line"){e.globalAlpha=t.opacity,e.translate(...t.origin),e.scale(...t.scale),e.fillStyle=t.fill,e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.setLineDash(t.dashes?t.dashes.split(/[ ,]+/).map(Number):[]);let i=new Path2D(t.path);t.fill!=="none"&&e.fill(i),t.stroke!=="none"&&e.stroke(i)}else e.font=t.font,e.fillStyle=t.fill,e.textAlign="center",e.textBaseline="middle",e.direction=t.direction==="rtl"?"rtl":"ltr",e.fillText(t.text,n+s/2,o+r/2);e.restore()}function Kr(e){let{shapes:t,width:n,height:o,paper:s}=_n(e),r=document.createElement("canvas"),i=r.getContext("2d");r.width=On*n,r.height=On*o,i.scale(On,On),i.fillStyle=s,i.fillRect(0,0,n,o);for(let a of t)xc(i,a);return r}var kc=3e5,Ko=e=>e.replaceAll("&","&amp;").replaceAll("<","&lt;").replaceAll(">","&gt;").replaceAll('"',"&quot;");function he(e,t,n=""){let o=Object.entries(t).map(([s,r])=>{let i=typeof r=="number"?String(Math.round(100*r)/100):Ko(r);return` ${s}="${i}"`});return n?`<${e}${o.join("")}>${n}</${e}>`:`<${e}${o.join("")}/>`}function vc({image:e,isMirrored:t,opacity:n,...o}){let{data:s,width:r,height:i}=Wr(e),a=new Map,c=o.width/r,u=o.height/i,d=(f,b)=>{let w=f*r+(t?r-1-b:b);return[0,1,2].map(y=>s[4*w+y].toString(16).padStart(2,"0")).join("")};for(let f=0;f<i;f++)for(let b=0,w;b<r;b=w){let y=d(f,b);for(w=b+1;w<r&&d(f,w)===y;)w++;let v={x:o.x+b*c,y:o.y+f*u,width:(w-b)*c,height:u},S=a.get(y)??[];a.set(y,S),S.push(he("rect",v))}let h=[...a].map(([f,b])=>he("g",{fill:`#${f}`},b.join("")));return he("g",{class:"cells",opacity:String(n),"shape-rendering":"crispEdges"},h.join(""))}function Tc({image:e,isMirrored:t,opacity:n,x:o,y:s,width:r,height:i}){let a=document.createElement("canvas");return a.width=e.width,a.height=e.height,a.getContext("2d").drawImage(e,0,0),he("image",{x:o,y:s,width:r,height:i,...t?{transform:`matrix(-1 0 0 1 ${2*o+r} 0)`}:{},opacity:String(n),preserveAspectRatio:"none",style:"image-rendering:pixelated",href:a.toDataURL()})}function Sc(e){let{x:t,y:n,width:o,height:s}=e,r={x:t,y:n,width:o,height:s};switch(e.kind){case"box":{let i=Math.min(e.radius,s/2);return he("rect",{...r,rx:i,fill:e.fill,opacity:String(e.opacity)})}case"frame":{let{stroke:i,thickness:a,radius:c}=e;return he("rect",{...r,rx:c,fill:"none",stroke:i,"stroke-width":String(a)})}case"cells":return e.image.width*e.image.height>kc?Tc(e):vc(e);case"label":{let i={x:t,y:n,"text-anchor":e.isVertical?"start":"end","dominant-baseline":"central",...e.isVertical?{transform:`rotate(-90 ${t} ${n})`}:{},fill:e.fill,style:`font:${Mn}`};return he("text",i,`⁨${Ko(e.text)}⁩`)}case"line":return he("path",{d:e.path,transform:`translate(${e.origin.join(" ")}) scale(${e.scale.join(" ")})`,fill:e.fill,stroke:e.stroke,"stroke-width":String(e.thickness),opacity:String(e.opacity),...e.dashes?{"stroke-dasharray":e.dashes}:{}});case"text":{let i={x:t+o/2,y:n+s/2,"text-anchor":"middle","dominant-baseline":"central",direction:e.direction,fill:e.fill,style:`font:${e.font}`};return he("text",i,Ko(e.text))}}}function Xr(e){let{shapes:t,width:n,height:o,paper:s}=_n(e),i=[`<rect width="${n}" height="${o}" fill="${s}"/>`,...t.map(Sc)].join(`
`),a={width:n,height:o,viewBox:`0 0 ${n} ${o}`};return`${he("svg",{xmlns:"http://www.w3.org/2000/svg",...a},`${i}
`)}
`}function zr(e,t){let n=document.createElement("a");n.href=URL.createObjectURL(t),n.download=e,n.click(),setTimeout(()=>URL.revokeObjectURL(n.href),1e3)}var Ue=(e,t,n="text/plain")=>zr(e,new Blob([t],{type:n}));function Rc(e){let t=n=>/[",\n\r]/.test(String(n))?`"${String(n).replaceAll('"','""')}"`:String(n??"");return e.map(n=>n.map(t).join(",")).join(`
`)+`
`}function Jr(e){for(let t of document.querySelectorAll("details.save[open]"))(e instanceof KeyboardEvent?e.key!=="Escape":t.contains(e.target))||(e instanceof KeyboardEvent&&t.querySelector("summary").focus(),t.open=!1)}addEventListener("keydown",Jr);addEventListener("pointerdown",Jr);function _(e,t,n,o){let s={PNG:()=>Kr(t).toBlob(i=>{i&&zr(`${e}.png`,i)}),SVG:()=>Ue(`${e}.svg`,Xr(t),"image/svg+xml"),CSV:()=>Ue(`${e}.csv`,Rc(n()),"text/csv"),JSON:()=>Ue(`${e}.json`,`${JSON.stringify(o(),null,2)}
`,"application/json")},r=i=>{i.currentTarget.closest("details").open=!1};return p`<details class="save">
    <summary aria-label="Save: ${e}">Save</summary>
    <span class="files"
      >${Object.entries(s).map(([i,a])=>p`<button
            type="button"
            aria-label="${e} as ${i}"
            @click=${c=>{a(),r(c)}}
            >${i}</button
          >`)}</span
    >
  </details>`}var Xo=()=>matchMedia("(prefers-reduced-motion: reduce)").matches?"auto":"smooth";function yt(e){requestAnimationFrame(()=>{let t=document.querySelector(e);if(!t)return;let{top:n}=t.getBoundingClientRect();n>=0&&n<innerHeight/2||t.scrollIntoView({behavior:Xo(),block:"start"})})}var Yr={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},jt=e=>(...t)=>({_$litDirective$:e,values:t}),$t=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,n,o){this._$Ct=t,this._$AM=n,this._$Ci=o}_$AS(t,n){return this.update(t,n)}update(t,n){return this.render(...n)}};var zo=class extends $t{current={};render(t){}update(t,[n]){let{style:o}=t.element;for(let[s,r]of Object.entries(n))this.current[s]!==r&&o.setProperty(s,r);for(let s of Object.keys(this.current))s in n||o.removeProperty(s);this.current=n}},E=jt(zo);var Ac={tokens:["Tokens","Models read and write tokens: words, or parts of words. ␣ is a space that stands alone, <s> begins a text, and </s> ends it."],beam:["Beam","How many beginnings of a translation are kept at each step. With 1, the likeliest token is taken each time."],sampling:["Sampling","Tokens are drawn by their probabilities. A temperature below 1 prefers likely tokens, one above 1 prefers them less. “Draw again” draws others."],probability:["Probability","How likely the model found a token, after the tokens before it. The stronger the colour of a token, the less likely it was."],best:["The best translations","What the search found, best first. The number is the score that ranks them: the logarithm of the probability, divided by a term for the length. A text that can be written with several sequences of tokens is listed once."],head:["Head","A head is one way of looking; each layer has several. cross.1.2 is its name in Python and in commands: head 2 of layer 1, both counted from 0, as everywhere on this page. Encoder: the text looks at itself. Decoder: the output looks at what is written. Cross: the output looks at the text. “Mean” is the mean of several heads."],alignment:["Alignment head","The head of cross-attention whose weights are most like a word alignment: high on one word, near the line from first to last. It is a guess: read the matrix."],share:["Share of a row","Only the largest weights are drawn, as many as make up this share of the row. Of the other rows, at most half is drawn."],words:["Words","The tokens of a word are taken together: weights are summed over the tokens that are looked at, and averaged over those that look."],weight:["Weight","How much a place looks at a token, from 0 to 1. The weights of a row sum to 1. A mask forbids some cells, which then have no weight: tokens that are not written yet, what is outside a window, and, in a batch of several texts, padding, which is no word. This page reads one text at a time, so it has no padding."],flow:["Through all layers","Three ways to follow the output back to the input. Rollout multiplies the weights of all layers. Gradient asks how a small change of an input changes the output. Integrated gradients add this up on the way from an empty input. None is the truth: each has its caveat beside the matrix."],label:["Label","A name for what a head does mostly: it looks at the previous token, the same token, the token after an earlier same one (induction), a symbol (a sink), along the alignment. Mixed: none of these for half of its weight."],entropy:["Spread, or entropy","How spread a row's weights are, in nats: 0 where one token has all the weight, 2.3 where ten tokens share it."],highest:["Highest weight","Of each row the largest weight, on average. The order “sharpness” begins with the highest."],offset:["Offset","How many places after its own a token looks, on average. Below 0: before."],worth:["Worth","How many nats of log-probability each token loses, on average, when this head is taken away. Below 0: the translation is likelier without it."],nats:["Nats","A log-probability is the natural logarithm of a probability. Minus 0.69 nats halves a probability; minus 2.3 nats make it a tenth."],value:["Value","A list of numbers that the head makes of a token, beside its key. The key says how well the token fits the query; the value is what it gives. Strips are as strong as the weight."],logit:["Logit","The output layer gives each token a number, its logit; softmax makes probabilities of them. The norm before it is held as it is. What later layers make of the head is not counted."],stream:["The state of a token","Each token has a list of numbers, its state. It begins as the embedding; each attention and each feed-forward layer reads it and adds a list of its own. The wider a stream is drawn, the longer its list: the square root of the sum of squares."],lookup:["Query, key, softmax","Query and key are lists of numbers. The head makes the query where a token is about to be written, of what was read up to there, and a key of each token that is looked at. Softmax turns scores into weights: e to the score, divided by the sum over the row."],temperature:["Temperature","Scores are divided by it before softmax. Below 1, the highest score takes more of the weight; above 1, all become more alike. The factor 1 ÷ √d does the same: d products add up to numbers of about √d, and without the factor one key would take nearly all of the weight."],"beam-search":["Beam search","Several beginnings of a translation are kept. Each is continued by its likeliest tokens; of all these, the best sums of log-probabilities are kept."],"log-probability":["Log-probability","The natural logarithm of a probability, in nats. Minus 0.69 nats halves a probability; minus 2.3 nats make it a tenth."],search:["Score in the search","The sum of the log-probabilities so far, in nats. At each step the best beginnings go on; the others are dropped."],lens:["Logit lens","The output layer, which belongs after the last layer, is put after each layer: what would the model write if it stopped there?"],snapshot:["Snapshot","The model as it was after some steps of training. Training with training.keep_every keeps snapshots."],patching:["Patching","What would the model say if it had, at one place, the state that it has when it reads another text? Weights say where a head looks; this says what a state does."],difference:["Difference of log-probabilities","In nats. Above 0, the first token is more likely than the second; plus 0.69 nats, twice as likely."],moved:["What moved it","Gradient times input: how strongly a small change of each token would change the prediction. It is a hint, not a proof."]},Ln="In nats: −0.69 halves a probability, +0.69 doubles it.",Cn=8;function Ec(e){let t=e.target,n=t.previousElementSibling.getBoundingClientRect(),o=Math.max(Cn,Math.min(n.left,innerWidth-t.offsetWidth-Cn)),r=n.bottom+t.offsetHeight+Cn<innerHeight?n.bottom+4:Math.max(Cn,n.top-t.offsetHeight-4);t.style.left=`${o}px`,t.style.top=`${r}px`}function k(e,t){let[n,o]=Ac[e];return p`<span class="term"
    ><button type="button" class="help" popovertarget="term-${e}">${t}</button
    ><span id="term-${e}" class="explanation" popover @toggle=${Ec}
      ><b>${n}.</b> ${o}</span
    ></span
  >`}var Pc=24,Mc=.5,_c=.1;function Oc(){let{ablations:e=[]}=l.inspection.result;if(!e.length)return m;let t=()=>[["heads","change","text"],...e.map(o=>[o.heads.join(" "),o.log_prob_change,o.text])],n=e.map(o=>p`<tr>
        <td>${o.heads.join(", ")}</td>
        <td class="number">${o.log_prob_change.toFixed(4)}</td>
        <td dir="auto">${o.text}</td>
      </tr>`);return p`<section class="panel without" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without heads</h2>
      ${_("without",["#ablations"],t,()=>e)}
    </div>
    <table id="ablations">
      <thead>
        <tr>
          <th>heads</th>
          <th>change, ${k("nats","nats")} per token</th>
          <th>what the model writes then</th>
        </tr>
      </thead>
      <tbody> ${n} </tbody>
    </table>
  </section>`}var Ut=e=>e.reduce((t,n)=>t+n,0);function Vt(e,t){let n=e.toFixed(t);return Number(n)===0?n.replace("-",""):`${e>0?"+":""}${n}`}var Hn=(e,t)=>p`<p class="legend">
    <span><i class="less"></i> less likely ${e}</span>
    <span><i class="more"></i> more likely</span>
    ${t?p`<span class="unit">${Ln}</span>`:m}
  </p>`;function In(e,t,n,o=0){let s=Math.max(n?Mc:_c,...t.map(Math.abs)),r=(i,a)=>{let c=$(e[a]??""),u=Vt(i,2),h={width:`${Number(u)===0?0:50*Math.abs(i)/s}%`,[i<0?"right":"left"]:"50%"},f=a<o?", given":"";return p`<div
      class="change ${ft(a,o)}"
      role="listitem"
      aria-label="${c}${f} ${i.toFixed(2)} ${n}"
    >
      <bdi>${c}</bdi>
      <span class="track two"><span class=${i<0?"less":"more"} ${E(h)}></span></span>
      <span class="number">${u}</span>
    </div>`};return p`<div class="changes" role="list" tabindex="0" aria-label="Change of each ${n?"token":"label"}">
    ${t.map(r)}
  </div>`}function Cc({token_changes:e,log_prob_change:t,text:n}){let o=l.heads.ablatedSentence,s=Ut(e),r=A()?"translation":"text",i=o.prefix?"It begins with what you wrote, as the one above does.":"You chose the one above; this is the best that was found.",a=o.prefix!==""||o.edit?.kind==="translation",c=n===o.text;return p`<p>
      Written then${c?", the same as with all heads":""}:
      <bdi class="strong" id="written-then">${je(n,o.text)}</bdi>
    </p>
    ${a?p`<p class="hint" id="same-prefix">${i}</p>`:m}
    <p>
      The log-probability of the ${r} above changes by
      <span class="strong number" id="sum">${Vt(s,3)}</span> ${k("nats","nats")},
      <span class="strong number" id="change">${t.toFixed(3)}</span> per token, where each token follows the same
      words as above:
    </p>
    ${Hn("without the heads","nats")}
    ${In(Te(o),e,"nats",Rn(o))}
    <p class="hint"
      >The larger the change, the more the ${r} depends on what these heads look at. Weights alone do not tell. The
      other panels show the model with all its heads.</p
    >`}function Lc({predicted:e=[]}){let t=l.inspection.result.predicted??[],n=t.map(i=>i.label),o=new Map(e.map(({label:i,prob:a})=>[i,a])),s=new Set(n).size===n.length&&n.every(i=>o.has(i));if(!e.length||!s){let i=e.map(a=>a.label).join(" ");return p`<p>
      Said then: <bdi class="strong" id="written-then">${je(i,n.join(" "))}</bdi>
    </p>`}let r=t.map(({label:i,prob:a})=>o.get(i)-a);return p`<p>
      Said then: <bdi class="strong" id="written-then">${e[0].label}</bdi>. The probability of each label
      changes by:
    </p>
    ${Hn("without the heads","")} ${In(n,r,"")}`}function Hc(){let{disabled:e}=l.heads;if(!e.length)return p`<p class="hint">
      Switch a head off: this shows how the probability of each token changes, and what the model
      ${J()?"writes":"says"} instead.
    </p>`;let t=n=>p`<button class="chip" title="Switch on" aria-label="Switch ${n} on" @click=${()=>void lt([n])}
      >${n} ✕</button
    >`;return p`<p class="chips"
    >${e.length>Pc?`${e.length} heads are off.`:e.map(t)}</p
  >`}function Zr(){let{ablation:e,ablatedSentence:t,disabled:n}=l.heads;if(!e||!n.length)return m;let o=n.length===1?n[0]:`these ${n.length} heads`,s=A()?"translation":"text",r=e.text===t?.text,i=Ut(e.token_changes),a=J()?`${r?"the same":"another"} ${s}, ${Vt(i,2)} nats`:"the change";return p`<button class="link short" id="to-change" data-unsaved @click=${()=>yt(".panel.without")}
    >Without ${o}: ${a}</button
  >`}function Ic(e){let{predicted:t,token_changes:n}=e,o=Te(l.heads.ablatedSentence);return _("without",["#written-then",".without .changes"],()=>t?.length?[["label","probability"],...t.map(({label:r,prob:i})=>[r,i])]:[["token","change"],...n.map((r,i)=>[o[i]??"",r])],()=>e)}function Qr(){let{result:e,sentence:t}=l.inspection,{ablation:n,ablatedSentence:o,disabled:s,undoStack:r}=l.heads;if(!e||!t)return m;if(l.server.storedPage)return Oc();if(!te())return m;let i=D()||n!==null&&o!==t,a=d=>p`${J()?Cc(d):Lc(d)}
      <p class="hint">
        The model was never trained without them: this is what they are worth here, not what another model could do.
      </p>`,c=p`<button id="all-on" @click=${()=>void ge([])}>Switch all on</button>`,u=p`<button id="undo" @click=${()=>void er()}>Undo</button>`;return p`<section class="panel without ${i?"stale":""}" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without these heads</h2>
      ${s.length?c:m} ${r.length?u:m}
      ${n?Ic(n):m}
    </div>
    ${Hc()} ${n?a(n):m}
  </section>`}var{I:nf}=Ns;var ei=e=>e.strings===void 0;var Kt=(e,t)=>{let n=e._$AN;if(n===void 0)return!1;for(let o of n)o._$AO?.(t,!1),Kt(o,t);return!0},Nn=e=>{let t,n;do{if((t=e._$AM)===void 0)break;n=t._$AN,n.delete(e),e=t}while(n?.size===0)},ti=e=>{for(let t;t=e._$AM;e=t){let n=t._$AN;if(n===void 0)t._$AN=n=new Set;else if(n.has(e))break;n.add(e),Dc(t)}};function Nc(e){this._$AN!==void 0?(Nn(this),this._$AM=e,ti(this)):this._$AM=e}function Wc(e,t=!1,n=0){let o=this._$AH,s=this._$AN;if(s!==void 0&&s.size!==0)if(t)if(Array.isArray(o))for(let r=n;r<o.length;r++)Kt(o[r],!1),Nn(o[r]);else o!=null&&(Kt(o,!1),Nn(o));else Kt(this,e)}var Dc=e=>{e.type==Yr.CHILD&&(e._$AP??=Wc,e._$AQ??=Nc)},Wn=class extends $t{constructor(){super(...arguments),this._$AN=void 0}_$AT(t,n,o){super._$AT(t,n,o),ti(this),this.isConnected=t._$AU}_$AO(t,n=!0){t!==this.isConnected&&(this.isConnected=t,t?this.reconnected?.():this.disconnected?.()),n&&(Kt(this,t),Nn(this))}setValue(t){if(ei(this._$Ct))this._$Ct._$AI(t,this);else{let n=[...this._$Ct._$AH];n[this._$Ci]=t,this._$Ct._$AI(n,this,0)}}disconnected(){}reconnected(){}};var Jo=new WeakMap,xt=jt(class extends Wn{render(e){return m}update(e,[t]){let n=t!==this.G;return n&&this.G!==void 0&&this.rt(void 0),(n||this.lt!==this.ct)&&(this.G=t,this.ht=e.options?.host,this.rt(this.ct=e.element)),m}rt(e){if(this.isConnected||(e=void 0),typeof this.G=="function"){let t=this.ht??globalThis,n=Jo.get(t);n===void 0&&(n=new WeakMap,Jo.set(t,n)),n.get(this.G)!==void 0&&this.G.call(this.ht,void 0),n.set(this.G,e),e!==void 0&&this.G.call(this.ht,e)}else this.G.value=e}get lt(){return typeof this.G=="function"?Jo.get(this.ht??globalThis)?.get(this.G):this.G?.value}disconnected(){this.lt===this.ct&&this.rt(void 0)}reconnected(){this.rt(this.ct)}});function Bc({spelled:e,offsets:t},n){let o=[...n],s=0;return e.map((r,i)=>{let a=Math.max(s,t[i]?.[1]??0),c=t[i]?"":o.slice(s).join("");r.trim()&&c.trimStart().startsWith(r)&&(a=s+[...c.slice(0,c.indexOf(r)+r.length)].length),r.replaceAll("▁","")||(a=s+/^\s*/u.exec(o.slice(s,a).join(""))[0].length);let u=o.slice(s,a).join("");return s=a,u})}var ni=/^▁?(<unk>|\[UNK\])$/;function Fc(e,t){let n=t.trim();return ni.test(e)&&n&&!ni.test(n)?`<unk: ${n}>`:e}function Bn(e,t){let n=l.view.groupsWords?Mr(e):e.spelled.map((r,i)=>[i]),o=Bc(e,t),s=e.spelled.map((r,i)=>Fc(r,o[i]));return{groups:n,labels:n.map(r=>r.map(i=>s[i]).join("")),pieces:n.map(r=>r.map(i=>o[i]).join("")),direction:se(t),numGiven:n.filter(r=>r.at(-1)<Sr()).length}}function oi({groups:e},t){let n=e.findIndex(o=>o.at(-1)>=t);return n<0?e.length-1:n}function si(e,t,n,o,s){let r=l.view.groupsWords?_r(t,n.groups,o.groups):t,i=oi(n,s.row),a=wt(r,i),c=a.indexOf(Math.max(...a)),u=s.key!==null&&s.key<t.keys;return{kind:e,weights:r,rows:n,keys:o,row:i,bestKey:c,key:u?oi(o,s.key):c}}function qc({rows:e,keys:t,shares:n,inspection:o}){let{text:s,target:r,token_log_probs:i}=o,a=Bn(e,r??s),c=Bn(t,s),{outputPosition:u,inputPosition:d}=l.view,h=r===null&&i.length>0,f=h?u-1:u,b=si("flow",Er(n),a,c,{row:f,key:d});return h&&(a.groups=a.groups.map(w=>w.map(y=>y+1)),a.numGiven=Math.max(0,a.numGiven-1)),b}function Gc(){let{tokens:e,weights:t}=l.inspection.result,{head:n}=l.view,o=[...t.keys()],s=o.filter(a=>n===`${K}${M(a)}`);if(s.length)return s;let r=Object.keys(e),i=r.includes("cross")?"cross":r.at(-1);return o.filter(a=>a.startsWith(`${i}.`))}var Dn=null;function jc(e){return Dn?.heads.length===e.length&&e.every((n,o)=>n===Dn.heads[o])||(Dn={heads:e,mean:Pr(e)}),Dn.mean}var ri=({text:e,target:t},n)=>n==="decoder"?t??e:e,ii=e=>se(ri(l.inspection.result,e.split(".")[0]))==="rtl";function Ce(){let{result:e,flow:t}=l.inspection,{head:n,outputPosition:o,inputPosition:s,keyPosition:r}=l.view;if(!e)return null;if(n.startsWith(I))return t&&qc(t);let{text:i,target:a,weights:c}=e,u=c.has(n)?[n]:Gc(),d=u[0].split(".")[0],h=e.tokens[d],f=u.map(S=>c.get(S)),b=Bn(h.rows,d==="encoder"?i:a??i),w=Bn(h.keys,ri(e,d)),y=h.rows.spelled.length-1,v=$o(d)?{row:Math.min(o,y),key:s}:{row:Math.min(s??0,y),key:r};return si(d,f.length>1?jc(f):f[0],b,w,v)}function z({kind:e,rows:t,keys:n},o,s){let r=({groups:c},u)=>c[Math.max(0,Math.min(u,c.length-1))][0],i=r(t,o),a=r(n,s);$o(e)?g({view:{outputPosition:i,inputPosition:a}}):g({view:{inputPosition:i,keyPosition:a}})}function Uc(e){return _e(e)?"neutral":/\p{Letter}/u.test(e)?se(e):/\p{Number}/u.test(e)?"number":"neutral"}function Vc(e,t,n){return/^[,.:/]$/u.test(e[n])&&t[n-1]==="number"&&t[n+1]==="number"&&!/^[\s▁]/u.test(e[n+1])}function re(e,t){let n=e.map(Uc);if(t==="ltr"&&!n.includes("rtl"))return e.map(()=>0);let o=t;n.forEach((i,a)=>{Vc(e,n,a)&&(n[a]="number"),i==="ltr"||i==="rtl"?o=i:n[a]==="number"&&o==="ltr"&&(n[a]="ltr")});let s=i=>i===void 0?t:i==="ltr"?"ltr":"rtl",r=(i,a)=>{let c=i;if(i==="neutral"){let u=s(n.slice(0,a).findLast(h=>h!=="neutral")),d=s(n.slice(a+1).find(h=>h!=="neutral"));c=u===d?u:t}return c==="rtl"?1:t==="rtl"||c==="number"?2:0};return n.map(r)}function ai(e){let t=e.map((n,o)=>o);for(let n=Math.max(0,...e);n>0;n--)for(let o=0;o<t.length;o++){let s=o;for(;s<t.length&&e[t[s]]>=n;)s++;t.splice(o,s-o,...t.slice(o,s).reverse()),o=Math.max(o,s)}return t}var ie=(e,t)=>/\p{Letter}/u.test(e)?"auto":t%2?"rtl":"ltr";function Xt(e,t,n){let o=n==="rtl"?1:0,s=(r,i,a)=>{let c=[];for(let u=r;u<i;){let{space:d,box:h}=e[u];(a===o||u>r)&&c.push(d);let f=u;for(;u<i&&t[u]>a;)u++;if(u===f)c.push(h),u++;else{let b=s(f,u,a+1);c.push(p`<span dir=${a%2?"ltr":"rtl"}>${b}</span>`)}}return c};return s(0,e.length,o)}var Kc=[/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,/[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u];function Fn(e,t,n,o){let s=[];e.forEach(({space:i,box:a},c)=>{let u=n[c],d=s.at(-1),h=`${t[c-1]}${t[c]}`,f=i===m&&!Kc.some(b=>b.test(h));d?.level===u&&f?d.parts.push(a):s.push({space:i,box:a,level:u,parts:[a]})});for(let i of s)i.parts.length>1&&(i.box=p`<span class="kept">${i.parts}</span>`);let r=s.map(({level:i})=>i);return Xt(s,r,o)}var li=12;function ee(e,t=1){let n=Z("paper"),o=Z(e);return p`<span class="ramp" aria-hidden="true"
    >${Array.from({length:li},(s,r)=>{let i=n.map((a,c)=>Math.round(a+t*r/(li-1)*(o[c]-a)));return p`<i ${E({background:`rgb(${i.join(", ")})`})}></i>`})}</span
  >`}var Xc=1e3,Zo=.5,zc=.7,Jc=.05,Yc="20px system-ui, sans-serif",Zc=16,Qc=3,eu=3,be=30,ci=14,Yo=140,tu=640,nu=.7,ou=1.4,su=.4,qn=null;function ru(e){let t=Math.min(l.view.rowShare,Zo);if(qn?.weights===e&&qn.share===t)return qn.edges;let n=Math.max(1,Math.floor(Xc/e.rows)),o=Array.from({length:e.rows},(s,r)=>mi(e,r,t).slice(0,n)).flat();return qn={weights:e,share:t,edges:o},o}function mi(e,t,n){let o=wt(e,t);return[...Pn(o,n)].map(s=>({row:t,key:s,weight:o[s]}))}var ui=new OffscreenCanvas(1,1).getContext("2d");function jn(e){return ui.font=Yc,ui.measureText(e).width}var iu={auto:"⁨",ltr:"⁦",rtl:"⁧"};function Gn({labels:e,pieces:t,direction:n},o){let s=u=>t[u]!==""&&!/^\s|^▁/u.test(t[u]+e[u]),r=re(t,n),i=[],a=0,c;for(let u of ai(r)){let d=$(e[u]),h=Math.max(24,jn(d));if(c!==void 0){let f=Math.abs(u-c)===1&&s(Math.max(u,c));a+=f?Qc:o*Zc}a+=h,i[u]={text:d,x:a-h/2,y:0,width:h,direction:ie(d,r[u])},c=u}return{width:a,words:i}}function au({rows:e,keys:t},n){let o=f=>Math.max(Gn(e,f).width,Gn(t,f).width),[s,r]=[o(1),o(2)-o(1)],i=Math.max(1,Math.min(eu,1+(n-ci-s)/Math.max(r,1))),a={rows:Gn(e,i),keys:Gn(t,i)},c=Math.max(a.rows.width,a.keys.width)+ci,u=(f,b)=>f.words.map(w=>({...w,x:w.x+(c-f.width)/2,y:b})),d=be,h=d+Yo;return{width:c,height:h+be,keys:u(a.keys,be/2),rows:u(a.rows,h+be/2),path:(f,b)=>`M ${f.x} ${h} C ${f.x} ${h-Yo/2}, ${b.x} ${d+Yo/2}, ${b.x} ${d}`}}function lu(e,t){let n=[...e];if(jn(e)<=t)return e;for(;n.length>1&&jn(`${n.join("")}…`)>t;)n.pop();return`${n.join("")}…`}function cu({rows:e,keys:t},n){let o=(u,d)=>{let h=re(u.pieces,u.direction);return u.labels.map(b=>lu($(b),su*n)).map((b,w)=>{let y=Math.max(24,jn(b)),v=d?n-4-y/2:4+y/2;return{text:b,width:y,x:v,y:be*(w+.5),direction:ie(b,h[w])}})},[s,r]=[o(t,!1),o(e,!0)],i=10+Math.max(...s.map(u=>u.width)),a=n-10-Math.max(...r.map(u=>u.width)),c=(i+a)/2;return{width:n,height:be*Math.max(s.length,r.length),keys:s,rows:r,path:(u,d)=>{let h=`C ${c} ${u.y}, ${c} ${d.y}, ${i} ${d.y}`;return`M ${n-8-u.width} ${u.y} L ${a} ${u.y} ${h} L ${8+d.width} ${d.y}`}}}var Qo=()=>fi()<tu;function fi(){let e=document.querySelector(".panel.alignment");if(!e)return innerWidth-66;let{paddingLeft:t,paddingRight:n}=getComputedStyle(e);return e.clientWidth-parseFloat(t)-parseFloat(n)}function pi(e,t,n){let o=e.currentTarget.ownerSVGElement;o.classList.toggle("hovering",n!==null);for(let r of o.querySelectorAll(".lit"))r.classList.remove("lit");if(n===null)return;let s=t==="row"?"key":"row";for(let r of o.querySelectorAll(`.edge[data-${t}="${n}"]`))r.classList.add("lit"),o.querySelector(`.word[data-${s}="${r.dataset[s]}"]`)?.classList.add("lit");o.querySelector(`.word[data-${t}="${n}"]`)?.classList.add("lit")}function uu({text:e,x:t,y:n,direction:o},s,r,i,a){return H`<text class="word ${ft(r,i)}" x=${t} y=${n} dy="0.35em"
    data-row=${s==="row"?r:-1}
    data-key=${s==="key"?r:-1} @click=${a}
    @pointerenter=${c=>pi(c,s,r)}
    @pointerleave=${c=>pi(c,s,null)}>${iu[o]}${e}\u2069</text>`}var di=e=>e?H`<rect class="frame-of-word" x=${e.x-e.width/2-4} y=${e.y-be/2+1}
        width=${e.width+8} height=${be-2} rx="4"></rect>`:m;function hi(e,{numGiven:t}){let[n,o]=[e[t-1],e[t]];if(!n||!o)return m;let s=be/2;if(n.y!==o.y){let a=Math.min(n.x-n.width/2,o.x-o.width/2),c=Math.max(n.x+n.width/2,o.x+o.width/2);return H`<path class="boundary" d="M ${a} ${(n.y+o.y)/2} H ${c}"></path>`}let r=Math.sign(o.x-n.x),i=(n.x+r*n.width/2+o.x-r*o.width/2)/2;return H`<path class="boundary" d="M ${i} ${n.y-s} V ${n.y+s}"></path>`}function gi(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=fi(),a=Qo(),c=a?cu(e,i):au(e,i),u=a?1:Math.max(nu,Math.min(ou,i/c.width)),h=[...l.view.hidesOtherRows?[]:ru(t).filter(R=>R.row!==s),...mi(t,s,l.view.rowShare)],f=R=>{let L=R.row===s,q=Math.max(Jc,L?R.weight:zc*R.weight);return H`<path class=${L?"edge here":"edge"} data-row=${R.row} data-key=${R.key}
      data-weight=${R.weight.toFixed(3)} opacity=${q} stroke-width=${1+4*R.weight}
      d=${c.path(c.rows[R.row],c.keys[R.key])}></path>`},b=(R,L,q)=>L.map((le,ce)=>uu(le,R,ce,e[`${R}s`].numGiven,()=>q(ce))),[w,y]=[n.labels.length,o.labels.length],v=An(n.numGiven,w),S=`Curves from each of ${w} tokens to those of ${y} that it looks at.${v}`;return p`<div class="scroll" tabindex="0" role="group" aria-label="Curves">
    <svg
      id="curves"
      class="curves"
      width=${Math.round(u*c.width)}
      height=${Math.round(u*c.height)}
      viewBox="0 0 ${c.width} ${c.height}"
      role="img"
      aria-label=${S}
    >
      ${h.map(f)} ${hi(c.keys,o)} ${hi(c.rows,n)} ${di(c.keys[r])}
      ${di(c.rows[s])} ${b("key",c.keys,R=>z(e,s,R))}
      ${b("row",c.rows,R=>z(e,R,r))}
    </svg>
  </div>`}var C=e=>e.target.value,we=e=>e.target.checked,kt=e=>e.ctrlKey||e.metaKey||e.altKey,Un=e=>e.key==="Enter"&&(e.ctrlKey||e.metaKey);function pu(){let e=l.inspection.result?.tokens.decoder;return e?.keys.spelled[e.keys.spelled.length-e.rows.spelled.length]??null}var es=(e,t)=>({writes:e[t]??null,read:t?e[t-1]??null:pu()}),ts=(e,t)=>({writes:e[t+1]??null,read:e[t]??null});function vt(e){return e==="encoder"?"read":l.inspection.result?.target!==null?"translation":e==="decoder"?"text":"read"}function $e({kind:e,rows:t},n){let o=vt(e);return o==="read"?null:o==="translation"?es(t.labels,n):ts(t.labels,n)}var ye=e=>p`<bdi class="strong">${$(e)}</bdi>`;function ae({writes:e,read:t},n="about",o=m){let s=p`${e===null?"the next token":ye(e)}${o}`;return t===null?p`${n} to write ${s}`:p`${n} to write ${s}, has read up to ${ye(t)}`}var bi=4,du=({weights:e},t)=>e.keys-e.rows+t;function ns(e,t){return e.keys.labels.map((n,o)=>o).filter(n=>de(e.weights,t,n))}function hu(e){let t=e.rows.labels.flatMap((n,o)=>{let s=du(e,o),r=i=>i<s||e.kind==="encoder";return ns(e,o).filter(r).map(i=>Math.abs(s-i))});return t.length?Math.min(...t):null}function wi(e,t){let n=t.slice(0,bi+ +(t.length===bi+1)),o=n.map((r,i)=>p`${i?", ":m}<bdi>${$(e.keys.labels[r])}</bdi>`),s=t.length-n.length;return p`${o}${s?` and ${s} more`:m}`}function mu(e){let t=ns(e,e.row),n=$e(e,e.row),o=n?p`${ae(n,"About")}: it may`:p`<bdi class="strong">${$(e.rows.labels[e.row])}</bdi> may`,s=e.keys.labels.map((r,i)=>i).filter(r=>!t.includes(r));return t.length?p`${o} look at ${wi(e,s)}, and not at ${wi(e,t)}.`:p`${o} look at all of them.`}var yi={cross:"No cell is hatched: the text is there from the start, so every place may look at all of it. Heads that read what is written have hatched cells: a place may not look at tokens that are not written yet.",encoder:"No cell is hatched: the text is there from the start, so each token may look at those before and after it."};function $i(e){let{kind:t}=e;if(t==="flow")return m;if(!e.rows.labels.some((d,h)=>ns(e,h).length))return yi[t]?p`<p id="mask">${yi[t]}</p>`:m;let o=vt(t)==="translation",r=t==="decoder"?`a place may not look at tokens that are not written yet. While the model ${o?"translates":"writes"}, there are none. To show this, the whole ${o?"translation":"text"} is read at once, so a mask hides them.`:"",i=hu(e),a=t==="encoder"?"to each side":"back",c=i===null?"":`this layer looks through a window: at its own position, and ${i-1} ${a}; the rest is hidden.`,u=[r,c].filter(Boolean).join(" Also, ");return p`<p id="mask"> Hatched: ${u} ${mu(e)} </p>`}var xi=5,fu=.85,gu=.6;function bu({weights:e,rows:t,keys:n,row:o,key:s}){let r=(a,c)=>{let u=Math.max(0,Math.min(a-2,c-xi));return Array.from({length:Math.min(xi,c)},(d,h)=>u+h)},i=(a,c)=>{let u=de(e,a,c)?"forbidden":Oe(e,a,c).toFixed(2),d=`${$(t.labels[a])} → ${$(n.labels[c])} ${u}`;return p`<td role="gridcell" aria-label=${d}></td>`};return p`<table class="unseen" role="grid" aria-label="Weights about the chosen cell">
    <tbody>
      ${r(o,e.rows).map(a=>p`<tr> ${r(s,e.keys).map(c=>i(a,c))} </tr>`)}
    </tbody>
  </table>`}function ki({pieces:e,labels:t,direction:n,numGiven:o},s){let{id:r,label:i,chosen:a,shareOf:c,choose:u}=s,d=re(e,n),h=(b,w)=>{let y=c(w),v=E({background:y?pe("heat",fu*y):"",color:y>gu?"var(--paper)":""}),S=y?"":ft(w,o),R=`part ${w===a?"here":""} ${S}`,[,L,q]=/^(\s*)([^]*)$/u.exec(b);if(bt(e,w)){let en=p`<span class=${R} @click=${()=>u(w)} ${v}>${q}</span>`;return{space:L,box:en}}let le=q||b||$(t[w]),ce=b?ie(b,d[w]):"auto",Pt=p`<bdi class=${b?"":"symbol"} dir=${ce} @click=${()=>u(w)}
      ><span class=${R} ${v}>${le}</span></bdi
    >`;return{space:q?L:m,box:Pt}},f=Xt(e.map(h),d,n);return p`<p id=${r} class="tokens" dir=${n} role="group" aria-label=${i}>${f}</p>`}var vi={translation:"the place where it is about to be written: all tokens before it have been read there",text:"the place where it has been read, and the next token is about to be written",read:"itself"};function wu(e){if(e==="flow")return`Each row is what was written or said; each column is a token of the input. The stronger a cell, the larger its share. ${l.inspection.flow?.caveat}`;let t=e==="cross"?"the tokens of the text, which it looks at":"the tokens that it looks at";return`Rows: each token stands for ${vi[vt(e)]}. Columns: ${t}.`}function yu({kind:e}){if(e==="flow")return m;let[t,n]=Qo()?["Left","Right"]:["Above","Below"];return p`<p class="hint" id="sides">
    ${t}: the tokens that are looked at. ${n}: each token stands for ${vi[vt(e)]}.
  </p>`}function $u(e,t){let{row:n,key:o,weights:s,keys:r}=t,i=r.direction==="rtl"?-1:1,c={ArrowUp:()=>z(t,n-1,o),ArrowDown:()=>z(t,n+1,o),ArrowLeft:()=>z(t,n,o-i),ArrowRight:()=>z(t,n,o+i),Home:()=>z(t,n,0),End:()=>z(t,n,s.keys-1),n:()=>Qe(1),p:()=>Qe(-1),PageDown:()=>et(1),PageUp:()=>et(-1)}[e.key];kt(e)||!c||(c(),e.preventDefault())}var Ve=null,Ti=()=>Ve;function xu(e,t){if(!Ve)return;let{weights:n,keys:o}=t,s=e.target.getBoundingClientRect(),r=Math.floor((e.clientX-s.left-Ve.left)/Ve.size),i=Math.floor((e.clientY-s.top-Ve.top)/Ve.size),a=o.direction==="rtl"?n.keys-1-r:r;i>=0&&a>=0&&i<n.rows&&a<n.keys&&z(t,i,a)}function ku(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=o.direction==="rtl",a={weights:t,rows:n.labels,keys:o.labels,numGiven:{rows:n.numGiven,keys:o.numGiven},chosen:{row:s,key:r},isMirrored:i},c=y=>{queueMicrotask(()=>{let v=y?.parentElement;v&&(Ve=Ur(y,a,v.clientWidth))})},u=`${t.rows} rows, ${t.keys} columns`,d=p`<span><i class="stroke"></i> the others</span>`,h=t.values.includes(t.forbidden),f=p`<span><i class="forbidden"></i> forbidden by a mask</span>`,b=An(n.numGiven,n.labels.length),w=`Weights of ${l.view.head}: ${u}. Arrow keys choose a cell.${b}`;return p`<div class="frame">
      <canvas
        id="matrix"
        tabindex="0"
        role="img"
        aria-label=${w}
        ${xt(c)}
        @pointerdown=${y=>xu(y,e)}
        @keydown=${y=>$u(y,e)}
      ></canvas>
    </div>
    <p class="legend" id="legend">
      <span>${k("weight","weight")} 0 ${ee("heat")} 1</span>
      ${h?f:m}
      <span><i class="stroke here"></i> the chosen token</span> ${l.view.hidesOtherRows?m:d}
      ${Wo(n.numGiven)}
    </p>`}function vu(e){let{kind:t,weights:n,rows:o,keys:s,row:r,key:i,bestKey:a}=e,c=n.values instanceof Uint16Array?3:2,u=v=>Oe(n,r,v).toFixed(c),d=p`<bdi class="strong">${$(o.labels[r])}</bdi>`,h=p`<bdi class="strong">${$(s.labels[i])}</bdi>`,f=p`<span class="strong number">${u(i)}</span>`,b=!de(n,r,i);if(t==="flow"&&b)return p`<p id="cell" role="status">${h} has a share of ${f} in ${d}.</p>`;let w=p`Most, ${u(a)}, goes to <bdi>${$(s.labels[a])}</bdi>.`,y=$e(e,r);return p`<p id="cell" role="status">
    ${y?p`${ae(y,"About")}:`:d}
    ${b?p`looks with ${f} at`:"may not look at"} ${h}. ${i===a?m:w}
  </p>`}function Si(){let e=(r,i)=>p`<option value=${r} ?selected=${r===l.view.head}>${i}</option>`,t=[...l.inspection.result.weights.keys()],n=[...new Set(t.map(M))],o=r=>p`<optgroup label="${dn(r)} (${r})">
      ${t.filter(i=>M(i)===r).map(i=>e(i,ko(i)))}
      ${e(`${K}${r}`,`mean of ${r}`)}
    </optgroup>`,s=()=>p`<optgroup label="Through all layers">
      ${ke.map(r=>e(`${I}${r}`,r))}
    </optgroup>`;return p`${k("head","Head")}
    <select id="head" aria-label="Head" @change=${r=>void oe(C(r))}>
      ${n.map(o)} ${e("mean","mean")} ${l.server.storedPage?m:s()}
    </select>
    ${Tu()}`}function Tu(){let e=pn();if(!e)return m;let{head:t,isOfModel:n}=e;return p`<button id="aligns" aria-pressed=${l.view.head===t} @click=${()=>void oe(t)}
    >${n?"Show the alignment head":"Show the alignment layer of this sentence"}</button
  >`}function Su(){let{rowShare:e,groupsWords:t,hidesOtherRows:n}=l.view,o=`${Math.round(100*e)} %`;return p`${k("share","Share of a row")}
    <label
      ><input
        id="share"
        type="range"
        min="0.1"
        max="1"
        step="0.05"
        .value=${String(e)}
        aria-label="Share of a row"
        aria-valuetext=${o}
        @input=${s=>g({view:{rowShare:Number(C(s))}})}
      />
      <span class="number">${o}</span></label
    >
    <span
      ><input
        id="words"
        type="checkbox"
        aria-label="words"
        .checked=${t}
        @change=${s=>g({view:{groupsWords:we(s)}})}
      />
      ${k("words","words")}</span
    >
    <label
      ><input
        id="alone"
        type="checkbox"
        .checked=${n}
        @change=${s=>g({view:{hidesOtherRows:we(s)}})}
      />
      only the chosen token</label
    >`}function Ru({weights:e,rows:t,keys:n}){let o=(a,c)=>de(e,a,c)?null:Oe(e,a,c).toFixed(4),s=()=>[["row","key","row_token","key_token","weight"],...t.labels.flatMap((a,c)=>n.labels.flatMap((u,d)=>{let h=o(c,d);return h===null?[]:[[c,d,a,u,h]]}))],r=(a,c)=>{let u=o(a,c);return u===null?null:Number(u)};return _("alignment",["#curves","#cell","#matrix","#legend"],s,()=>({head:l.view.head,rows:t.labels,keys:n.labels,weights:t.labels.map((a,c)=>n.labels.map((u,d)=>r(c,d)))}))}var Au="<s> is the symbol that begins a text, </s> the one that ends it.";function Eu({kind:e,keys:t}){return p`<p class="hint" id="reading">
    ${t.direction==="rtl"?"Its columns run from right to left, as the text does.":m} ${e==="flow"?m:"The stronger the colour of a cell, the larger its weight; the weights of a row sum to 1. A weight says where a head looks. It does not say how important a token is: a head may look at tokens that change nothing in what is written."} ${Au}
  </p>`}function os(e){return(A()||l.server.storedPage)&&e!=="encoder"&&e!=="decoder"?"Alignment":"Attention"}function Pu(){let e=J()?"After a translation, this shows which words of the text each word was written from.":"This shows which tokens of the text each token looks at.";return p`<section class="panel alignment" aria-labelledby="alignment-title">
    <div class="head"><h2 id="alignment-title">${os()}</h2></div>
    ${l.inspection.result?Si():m}
    <p class="hint">${x()?"…":e}</p>
  </section>`}function Mu(){let{head:e}=l.view,{result:t}=l.inspection;return t?.weights.has(e)?hn(e):e.startsWith(I)?`Through all layers: ${e.slice(I.length).replace("-"," ")}`:e.startsWith(K)?`Mean of ${dn(e.slice(K.length))}`:"Mean of the last kind of heads"}function Ri(){let e=Ce();return!e||!l.inspection.result?Pu():p`<section class="panel alignment ${Ai(e)?"stale":""}" aria-labelledby="alignment-title">
    <div class="head">
      <h2 id="alignment-title"
        >${pn()?k("alignment",os(e.kind)):os(e.kind)}</h2
      >
      <span id="shown-head" class="strong">${Mu()}</span>
      ${Ru(e)}
    </div>
    <div class="together chooser" data-unsaved>${Si()}</div>
    ${gi(e)} ${e.rows.numGiven?p`<p class="legend">${Wo(e.rows.numGiven)}</p>`:m}
    ${yu(e)} ${vu(e)} ${Ou(e)}
  </section>`}var _u="They are no dictionary: they show where one head looks, and it may look at another word than the one that is translated.";function Ou({kind:e}){return p`<p class="hint">
    Lines lead to the largest weights: of the chosen token, to those that are ${Math.round(100*l.view.rowShare)} %
    of its row; of each other token, to those that are
    ${Math.round(100*Math.min(l.view.rowShare,Zo))} %. ${e==="cross"?_u:m}
  </p>`}function Ai({kind:e}){let{result:t,flow:n}=l.inspection;return D()||e==="flow"&&n?.inspection!==t}function Ei(){let e=Ce();if(!e||!l.inspection.result)return m;let{rows:t,keys:n,row:o,key:s,weights:r}=e,i=wt(r,o),a=Pn(i,l.view.rowShare),c=ki(t,{id:"row-tokens",label:"tokens that stand for the places that look",chosen:o,shareOf:()=>0,choose:d=>z(e,d,s)}),u=ki(n,{id:"key-tokens",label:"tokens that are looked at",chosen:s,shareOf:d=>a.has(d)?i[d]:0,choose:d=>z(e,o,d)});return p`<section class="panel matrix ${Ai(e)?"stale":""}" aria-labelledby="matrix-title">
    <div class="head">
      <h2 id="matrix-title">All its weights</h2>
      ${Su()}
    </div>
    <p class="hint" id="axes">${wu(e.kind)}</p>
    ${$i(e)} ${ku(e)} ${bu(e)}
    <div class="sides">${c} ${u}</div>
    ${Eu(e)}
    <p class="hint" id="keys">
      In the matrix, arrows, home and end choose a cell. N, P: next and previous head. Page up, page down: another
      layer.
    </p>
  </section>`}var Cu=6,Pi=1,ss=e=>g({trial:{softmax:{...l.trial.softmax,...e}}});function Mi(e,t,n){return p`<label><input id=${e} type="checkbox" .checked=${t} @change=${s=>ss(e==="scaled"?{isScaled:we(s)}:{isMasked:we(s)})} /> ${n}</label>`}function _i({factor:e,query:t,allowed:n}){let{softmax:o}=l.trial,{temperature:s,isScaled:r,isMasked:i}=o,a=u=>ss({temperature:10**Number(C(u))}),c=p`<button id="own-softmax" @click=${()=>ss(It)}>As the model has it</button>`;return p`<div class="controls together" data-unsaved>
      <label
        >${k("temperature","temperature")}
        <input
          id="softmax-temperature"
          type="range"
          min=${-Pi}
          max=${Pi}
          step="0.05"
          .value=${String(Math.log10(s))}
          aria-label="Temperature of this row"
          aria-valuetext=${s.toFixed(2)}
          @input=${a}
        />
        <span class="number">${s.toFixed(2)}</span></label
      >
      ${e===1?m:Mi("scaled",r,`1 ÷ √${t.length}`)}
      ${n.every(Boolean)?m:Mi("masked",i,"mask")} ${cn(o)?m:c}
    </div>
    <p class="hint" data-unsaved> The model does not change: only this table is computed again, from the scores. </p>`}function Lu(e,t){let n=fo(t,It).entropy.toFixed(2),o=p`, in place of <span class="number">${n}</span>`;return p`<p class="hint" id="row-spread">
    The weights are spread by
    <span class="strong number">${e.entropy.toFixed(2)}</span> nats
    (entropy)${cn(l.trial.softmax)?m:o}. ${e.total.toFixed(2)} is the sum of the column
    before it, over all keys.
  </p>`}function Oi(e,t){let{softmax:n}=l.trial,o=fo(t,n),{keys:s,scores:r,exponentials:i,highest:a,total:c,weights:u}=o,d=s.slice(0,Cu),h=d.includes(e.key)||!s.includes(e.key)?d:[...d,e.key],f=cn(n),b=p` <span class="hint">(hidden)</span>`,w=R=>p`<tr class=${R===e.key?"strong":""}>
      <td><bdi>${$(e.keys.labels[R])}</bdi>${t.allowed[R]?m:b}</td>
      <td class="number">${r[R].toFixed(2)}</td>
      <td class="number">${i[R].toFixed(3)}</td>
      <td class="number">${u[R].toFixed(3)}</td>
      ${f?m:p`<td class="number">${t.weights[R].toFixed(3)}</td>`}
      <td class="fill">
        <span class="track"><span ${E({width:`${100*u[R]}%`})}></span></span>
      </td>
    </tr>`,y=s.length-h.length,v=n.temperature===1?"":` ÷ ${n.temperature.toFixed(2)}`,S=`score − ${a.toFixed(2)}`;return p`<table id="softmax" class=${f?"":"compared"}>
      <thead>
        <tr>
          <th>key</th>
          <th>score</th>
          <th>exp(${v?`(${S})${v}`:S})</th>
          <th>÷ ${c.toFixed(2)} = weight</th>
          ${f?m:p`<th>the model's</th>`}
          <th><span class="unseen">weight, as a bar</span></th>
        </tr>
      </thead>
      <tbody> ${h.map(w)} </tbody>
    </table>
    ${y>0?p`<p class="hint">and ${y} more keys.</p>`:m} ${Lu(o,t)}`}var Ci=320,Li=18;function Ke(e,t,n,{max:o=Math.max(...n.map(Math.abs),1e-9),opacity:s=1}={}){let r=Ci/n.length,i=`from ${Math.min(...n).toFixed(2)} to ${Math.max(...n).toFixed(2)}`,a=(c,u)=>H`<rect x=${u*r} width=${r} height=${Li} class=${c<0?"less":"more"}
      opacity=${(Math.min(1,Math.abs(c)/o)*s).toFixed(3)}><title>${c.toFixed(3)}</title></rect>`;return p`<div class="strip">
    <span>${t}</span
    ><svg
      data-strip=${e}
      viewBox="0 0 ${Ci} ${Li}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${e}: ${n.length} numbers, ${i}"
    >
      ${n.map(a)}
    </svg>
  </div>`}var Hu=.01,Iu=.12;function Nu({length:e,residual:t}){let n=Math.max(e,t),o=(s,r,i)=>p`<div class="change">
      <span>${s}</span
      ><span class="track"><span ${E({width:`${100*i/n}%`})}></span></span>
      <span class="number" id=${r}>${i.toFixed(2)}</span>
    </div>`;return p`${o("what it adds","added-length",e)} ${o("the state before","residual-length",t)}`}function Wu({likelier:e,said:t}){if(!e.length&&!t)return m;let n=()=>p`It adds <span class="strong number" id="said">${t[1].toFixed(2)}</span> to the logit of
      <bdi class="strong">${$(t[0])}</bdi>, which is about to be written.`,o=()=>p`Read by the output layer, it makes these more likely than any others:
      ${e.map(([s,r])=>p`<span class="likelier"><bdi class="strong">${$(s)}</bdi> +${r.toFixed(2)}</span> `)} <span class="likelier">(${k("logit","logits")}).</span>`;return p`<p>${e.length?o():m} ${t?n():m}</p>`}function Du({keys:e,labels:t},n){let o=Math.max(...n.values.flat().map(Math.abs),1e-9),s=e.filter((c,u)=>u===0||n.weights[c]>=Hu),r=n.weights.length>s.length,i=Math.max(0,1-s.reduce((c,u)=>c+n.weights[u],0)),a=s.map((c,u)=>{let d=n.weights[c],h=p`<bdi>${$(t[c]??"")}</bdi>
      <span class="number">× ${d.toFixed(2)}</span>`,f=Math.max(Iu,d);return Ke(`value ${u}`,h,n.values[u],{max:o,opacity:f})});return p`<p>
      Each of these tokens has a ${k("value","value")}, too. The head multiplies each value by its weight, and adds
      them up:
    </p>
    ${a} ${r?p`<p class="hint">and all other keys, together × ${i.toFixed(2)}.</p>`:m}
    ${Ke("sum",p`<span class="strong">their sum</span>`,n.total,{max:o,opacity:1})}
    <p>A matrix turns the sum into the vector that the head adds to the state. Lengths:</p>
    <div class="lengths">${Nu(n)}</div>
    ${Wu(n)}`}function Hi(e){yr(e);let{writes:t}=l.inspection,n=ht(),o=t!==null&&t.cell!==Me(e.row,l.view.head);return p`<div id="writes" class=${o?"stale":""} ?data-unsaved=${n!==""}>
    <h3>What it takes from them, and adds</h3>
    ${n?p`<p class="hint" id="no-writes">This cannot be shown for this model: ${n}</p>`:t?Du({keys:t.result.keys,labels:t.view.keys.labels},t.result):p`<p class="hint">…</p>`}
  </div>`}var rs="The place that is about to write a token asks with its query; the tokens that it may look at answer with their keys, and give their values.",Bu="Query and keys have been rotated by angles that grow with their positions, so the score depends on how far apart the two tokens are.";function Fu({key:e},t){let{query:n,terms:o,factor:s,scores:r,bias:i,allowed:a}=t;if(!a[e])return p`<p id="score">
      A mask forbids this key: it gets the weight 0, whatever its score is. Softmax makes weights of the others:
    </p>`;let c=o.reduce((f,b)=>f+b,0),u=(f,b=3)=>p`<span class="number">${f.toFixed(b)}</span>`,d=p`, times ${u(s,5)} (1 ÷ √${n.length})`,h=p`, plus ${u(i[e])} for the positions`;return p`<p id="score">
    The sum, ${u(c)}${s===1?m:d}${i[e]?h:m}, is the score
    <span class="strong number">${(r[e]+i[e]).toFixed(3)}</span>. Softmax makes weights of the scores of
    a row:
  </p>`}function qu(e,t){let n=p`<bdi class="strong">${$(e.rows.labels[e.row])}</bdi>`,o=p`<bdi class="strong">${$(e.keys.labels[e.key])}</bdi>`,s=$e(e,e.row),r=s?p`the place that is ${ae(s)}`:p`the token ${n}`,i=t.is_additive?"v · tanh(query + key)":"their product, number by number",a=s?.writes?p`query, about to write <bdi>${$(s.writes)}</bdi>`:"query";return p`<p class="hint">${rs}</p>
    <p class="hint" id="place">The query belongs to ${r}. ${t.is_rotated?Bu:m}</p>
    <p class="legend">
      Each square is a number: <span>below 0 ${ee("less")}</span> <span>above 0 ${ee("more")}</span>
    </p>
    ${Ke("query",a,t.query)} ${Ke("key",p`key of ${o}`,t.key)}
    ${Ke("terms",i,t.terms)} ${Fu(e,t)} ${_i(t)}
    ${Oi(e,t)} ${Hi(e)}`}function Gu(e,t){let{scores:n,bias:o,allowed:s,weights:r}=t,{labels:i}=e.keys;return _("computed",[".computed > .strip","#score","#softmax","#writes"],()=>[["key","score","position","allowed","weight"],...i.map((u,d)=>[u,n[d],o[d],Number(s[d]),r[d]])],()=>({head:l.view.head,row:e.rows.labels[e.row],key_token:i[e.key],...t,writes:l.inspection.writes?.result??null}))}function Ii(){let e=Ce(),t=l.inspection.result;if(!t||!e||l.server.storedPage)return m;let{showsComputation:n,groupsWords:o,head:s}=l.view,r=t.weights.has(s);n&&!o&&wr(e);let i=n&&r&&!o?l.inspection.lookup:null,a=D()||i!==null&&i.cell!==No(e),u=n?r?o?"Heads look at tokens, and not at words. Switch “words” off.":i?qu(i.view,i.result):"…":p`<p class="hint">${rs}</p>
        <p class="hint">What is shown is not one head. Choose a head in the grid.</p>`:`${rs} This shows the numbers.`;return p`<section class="panel computed ${a?"stale":""}" aria-labelledby="computed-title">
    <div class="head">
      <h2 id="computed-title">${k("lookup","How this weight is computed")}</h2>
      <button
        id="explain"
        aria-expanded=${n}
        @click=${()=>g({view:{showsComputation:!n}})}
        >${n?"Hide":"Show"}</button
      >
      ${i?Gu(i.view,i.result):m}
    </div>
    ${typeof u=="string"?p`<p class="hint">${u}</p>`:u}
  </section>`}var ju=()=>T()?.arch==="rnn",Uu=()=>[...l.inspection.result?.weights.keys()??[]].some(e=>e.startsWith("decoder.")),is={shuffle:{button:"Shuffle the words",says:"The model reads the words of the text in another order.",reason:()=>l.inspection.result?.target===null?"reads no other text than its own":void 0},"no-positions":{button:"Take positions away",says:"Nothing tells the model any more where a token stands: no position is added to an embedding, and attention neither rotates queries and keys by positions nor adds numbers for distances. It sees a set of tokens; the mask is left.",reason:()=>ju()?"reads token by token: it has no positions to take away":void 0},future:{button:"Let it see the future",says:"No mask: a place may look at the tokens after it, and at the one that it is about to write. The model was trained with the mask, so it has not learnt what to do with them.",reason:()=>Uu()?void 0:"reads token by token: it has no mask to take away"}},Ni=0;function Vu(){let e=t=>{let{button:n,reason:o}=is[t],s=o(),r=l.inspection.experiment?.result.change===t,i=()=>{t==="shuffle"&&(Ni+=1),kr(t,Ni)};return p`<button
      data-change=${t}
      aria-pressed=${r}
      ?disabled=${s!==void 0}
      title=${s?`This model ${s}.`:m}
      @click=${i}
      >${n}</button
    >`};return p`<p class="together" data-unsaved>${Object.keys(is).map(e)}</p>`}function Ku({change:e,source:t,tokens:n,before:o,after:s}){let r=s.map((d,h)=>d-o[h]),[i,a]=[Ut(o),Ut(s)],c=(d,h)=>p`<span class="strong number" id=${h}>${d.toFixed(2)}</span>`,u=p`<p>It reads: <bdi class="strong" id="shuffled">${t}</bdi></p>`;return p`<p>${is[e]?.says}</p>
    ${e==="shuffle"?u:m}
    <p>
      The same ${T()?.direction?"translation":"text"} then has a log-probability of
      ${c(a,"sum-after")} in place of ${c(i,"sum-before")} (<span class="number"
        >${Vt(a-i,2)}</span
      >
      ${k("log-probability","nats")}). Of each token:
    </p>
    ${Hn("then","nats")} ${In(n,r,"nats",Rn(l.inspection.sentence))}`}function Xu(e){let{tokens:t,before:n,after:o}=e;return _("experiment",[".experiments .changes"],()=>[["token","before","after"],...t.map((r,i)=>[r,n[i],o[i]])],()=>e)}function Wi(){let{result:e,experiment:t,snapshot:n}=l.inspection;if(!J()||!e||n!==null)return m;let o=t?.inspection===e?t.result:null,s=p`<p class="hint">
    What does the model need to know? Take something away, and see how much less likely each token becomes.
  </p>`;return p`<section class="panel experiments ${D()?"stale":""}" aria-labelledby="experiments-title">
    <div class="head">
      <h2 id="experiments-title">Experiments</h2>
      ${o?Xu(o):m}
    </div>
    ${Vu()} ${o?Ku(o):s}
  </section>`}var zu=.85,Ju=.6,Di={encoder:"Encoder: the text",decoder:"Decoder: what is written"},as=e=>e.toFixed(2).replace(/^-0\.00$/,"0.00");function Yu(e,{tokens:t,effects:n}){let o=n[e],{patched:s}=l.trial,r=(a,c,u)=>{let d=s?.stack===e&&s.layer===c&&s.position===u,h=Math.min(1,Math.max(0,a)),f=E({background:pe("heat",zu*h),color:h>Ju?"var(--paper)":""}),b=`${$(t[e][u])} after layer ${c}: effect ${as(a)}`;return p`<td>
      <button
        class="patch number"
        aria-pressed=${d}
        aria-label=${b}
        ${f}
        @click=${()=>g({trial:{patched:{stack:e,layer:c,position:u}}})}
        >${as(a)}</button
      >
    </td>`},i=(a,c)=>p`<tr>
      <th scope="row">layer ${c}</th>
      ${a.map((u,d)=>r(u,c,d))}
    </tr>`;return p`<div class="scroll" tabindex="0" role="group" aria-label=${Di[e]??e}>
    <table class="patches" data-stack=${e}>
      <thead>
        <tr>
          <th scope="col">${Di[e]??e}</th>
          ${t[e].map(a=>p`<th scope="col"><bdi>${$(a)}</bdi></th>`)}
        </tr>
      </thead>
      <tbody> ${o.map(i).reverse()} </tbody>
    </table>
  </div>`}function Zu({answers:e,difference:t,other_difference:n,tokens:o,effects:s}){let{patched:r}=l.trial,a=(r&&s[r.stack])?.[r.layer]?.[r.position];if(a===void 0)return m;let{stack:c,layer:u,position:d}=r,h=t+a*(n-t);return p`<p id="patch-effect" role="status">
    The state of the other text in the place of ${ye(o[c][d])}, after layer ${u} of the
    ${c}: <span class="strong number">${as(a)}</span> of the way from ${ye(e[0])} to
    ${ye(e[1])}. The difference of their log-probabilities is then
    <span class="number" id="patch-difference">${h.toFixed(2)}</span> ${k("difference","nats")}.
  </p>`}function Qu(e){let{answers:t,difference:n,other_difference:o,effects:s}=e;return p`<p id="patch-answers">
      After this text the model says ${ye(t[0])}, after the other one ${ye(t[1])}: log
      p(<bdi>${$(t[0])}</bdi>) − log p(<bdi>${$(t[1])}</bdi>) is
      <span class="number">${n.toFixed(2)}</span> and
      <span class="number">${o.toFixed(2)}</span>. Each number below: how much of the way one state of the
      other text goes, put into the run on this one. 0: nothing changes; 1: that state alone makes the model say
      ${ye(t[1])}.
    </p>
    ${Object.keys(s).map(r=>Yu(r,e))} ${Zu(e)}`}function ep(e,t){return _("patching",[".patches","#patch-effect"],()=>[["stack","layer","position","token","effect"],...Object.entries(e.effects).flatMap(([o,s])=>s.flatMap((r,i)=>r.map((a,c)=>[o,i,c,e.tokens[o][c],a])))],()=>({other:t,...e}))}function Bi(){let{result:e,patching:t,snapshot:n}=l.inspection;if(!e||n!==null||l.server.storedPage||e.arch==="rnn")return m;let o=t?.inspection===e?t:null,s=l.trial.otherText??e.text,r=u=>{u.preventDefault(),vr(s)},i=p`<p class="hint">
    Which states make the difference? Change one word of the text, so that what the model says changes, too. States of
    the other text are then put into the run on this one, one at a time: a run of the model for each token and layer.
    Both texts need the same number of tokens.
  </p>`,a=Io(),c=p`<p class="hint">Both begin with what you wrote: <bdi class="strong">${a}</bdi></p>`;return p`<section class="panel patching ${D()?"stale":""}" aria-labelledby="patching-title">
    <div class="head">
      <h2 id="patching-title">${k("patching","Patching")}</h2>
      ${o?ep(o.result,o.other):m}
    </div>
    <form class="together" data-unsaved @submit=${r}>
      <label
        >The other text
        <input
          id="other"
          type="text"
          dir="auto"
          autocomplete="off"
          .value=${s}
          @input=${u=>g({trial:{otherText:C(u)}})}
        />
      </label>
      <button id="patch" ?disabled=${s===e.text||!T()}>Exchange states</button>
    </form>
    ${a?c:m} ${o?Qu(o.result):i}
  </section>`}var tp=5,np=480,op=40,Fi=(e,t,n)=>Math.max(0,Math.min(n-1,Math.floor(e/t*n)));function sp(e,t){if(e>op)return m;let n=Te().slice(0,e);return p`<div class="sweep-names" aria-hidden="true" ${E({"--columns":String(e)})}>
    ${n.map((o,s)=>p`<bdi class=${s===t?"here":""}>${$(o)}</bdi>`)}
  </div>`}function qi(e){let{importance:t,importanceByToken:n}=l.heads,{sentence:o}=l.inspection,s=e.map(w=>n[w]??[]),r=Math.max(...s.map(w=>w.length));if(!t||!o||!r)return m;let i=A()?0:1,a=Math.max(0,Math.min(l.view.outputPosition-i,r-1)),c=e.findIndex((w,y)=>w===l.view.head&&s[y].length),u=$(Te()[a]??""),d=c<0?"":`${e[c]} is worth ${s[c][a].toFixed(3)} nats for ${u}.`,h=s.map(w=>w.map(y=>-y)),f=w=>{w&&jr(w,h,r)},b=w=>{let y=w.target.getBoundingClientRect(),v=e[Fi(w.clientY-y.top,y.height,e.length)],S=Fi(w.clientX-y.left,y.width,r)+i;g({view:{head:v,outputPosition:Math.min(S,o.tokens.length-1)}})};return p`<details class="sweep" open>
    <summary>Head by head, token by token</summary>
    <canvas
      id="sweep"
      role="img"
      aria-label="What each head is worth for each token. ${d}"
      ${xt(f)}
      ${E({height:`${Math.min(tp*e.length,np)}px`})}
      @pointerdown=${b}
    ></canvas>
    ${sp(r,a)}
    <p id="sweep-cell" role="status">${d||"Click a cell."}</p>
    <p class="legend">
      <span>without the head, the token is less likely ${ee("less")}</span>
      <span>more likely ${ee("more")}</span>
      <span>${Ln}</span>
    </p>
    <p class="hint">
      A row for each head, in the order above, from left to right and then down; a column for each
      token${A()?", the end included":" after the first"}.
    </p>
  </details>`}var rp=44,ip=.35,ls={place:()=>0,worth:({head:e})=>-(l.heads.importance?.[e]??0),entropy:({entropy:e})=>e,sharpness:({confidence:e})=>-e,offset:({offset:e})=>e===null?1/0:Math.abs(e),label:({label:e})=>e},ji=()=>l.heads.sortBy!=="place"&&Object.hasOwn(ls,l.heads.sortBy);function Ui(){let{heads:e}=l.inspection.result;if(ji()){let n=ls[l.heads.sortBy],o=(s,r)=>n(s)<n(r)?-1:+(n(s)>n(r));return[{layer:"",heads:[...e].sort(o)}]}return[...new Set(e.map(n=>M(n.head)))].map(n=>({layer:n,heads:e.filter(o=>M(o.head)===n)}))}var Vi=()=>l.inspection.result.heads.map(e=>e.head),Ki=e=>Vi().filter(t=>M(t)===M(e));function Xi(e){let t=Vi().filter(s=>s!==e),{disabled:n}=l.heads,o=n.length===t.length&&!n.includes(e);ge(o?[]:t)}function ap(e,t){let n=Ui().map(({heads:u})=>u.map(d=>d.head)),o=n.findIndex(u=>u.includes(e)),s=n[o].indexOf(e),r=n.flat(),i=r.indexOf(e),a=(u,d)=>u[Math.max(0,Math.min(d,u.length-1))];return{ArrowLeft:a(r,i-1),ArrowRight:a(r,i+1),ArrowUp:a(a(n,o-1),s),ArrowDown:a(a(n,o+1),s),Home:n[o][0],End:n[o].at(-1)}[t]}var Gi={n:()=>Qe(1),p:()=>Qe(-1),PageDown:()=>et(1),PageUp:()=>et(-1)};function lp(e,t){if(kt(e))return;let n=ap(t,e.key);if(n!==void 0)g({view:{head:n}});else if(Object.hasOwn(Gi,e.key))Gi[e.key]();else if(e.key===" "&&te())lt(e.shiftKey?Ki(t):[t]);else if(e.key==="s"&&te())Xi(t);else return;e.preventDefault(),requestAnimationFrame(()=>document.querySelector(`[data-head="${l.view.head}"]`)?.focus())}function cp(e){let t=Math.max(...Object.values(l.heads.importance??{}),1e-9),n=pe("heat",ip*Math.max(0,e)/t),o=e.toFixed(2).replace("-0.00","0.00");return p`<span class="tag number" aria-hidden="true" ${E({background:n})}>${o}</span>`}function up({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=l.heads.importance?.[e];return[`${e}: ${t}`,`entropy ${n.toFixed(2)} nats`,`highest weight ${o.toFixed(2)}`,...s===null?[]:[`offset ${s.toFixed(1)}`],...r===void 0?[]:[`worth ${r.toFixed(3)} nats per token`]].join(", ")}function pp(e,t){let{head:n}=e,o=l.inspection.result.weights.get(n),s=l.heads.disabled.includes(n),r=l.heads.importance?.[n],i=up(e),a=u=>{u&&Gr(u,o,rp,ii(n))},c=n.replace(/^(\w)\w+/,"$1");return p`<button
    class="cell ${s?"off":""}"
    aria-pressed=${l.view.head===n}
    aria-label="${i}${s?", off":""}"
    title=${i}
    data-head=${n}
    tabindex=${t?0:-1}
    @click=${()=>g({view:{head:n}})}
    @keydown=${u=>lp(u,n)}
    ><canvas ${xt(a)}></canvas>
    ${ji()?p`<span class="tag" aria-hidden="true">${c}</span>`:m}
    ${r===void 0?m:cp(r)}</button
  >`}function dp(e){let t=l.heads.disabled.includes(e),n=Ki(e).filter(o=>o!==e);return p`<button id="toggle" data-unsaved @click=${()=>void lt([e])}
      >${t?"Switch on":"Switch off"}</button
    >
    <button id="solo" data-unsaved @click=${()=>Xi(e)}>Solo</button>
    <button data-unsaved @click=${()=>void ge(n)}>Solo in its layer</button>`}function hp({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=l.heads.importance?.[e],i=p`, ${k("offset","offset")} ${s?.toFixed(1)}`;return p`<div class="chosen">
    <p class="strong" id="head-words">${hn(e)}</p>
    ${te()?p`<p class="together">${dp(e)} ${Zr()}</p>`:m}
    <p class="hint" id="statistics">
      <span id="head-title">${e}</span>: ${k("label",t)}; ${k("entropy","spread (entropy)")}
      ${n.toFixed(2)} nats, ${k("highest","highest weight")}
      ${o.toFixed(2)}${s===null?m:i}, mean over
      rows.${r===void 0?m:p` Worth ${r.toFixed(3)} nats per token.`}
    </p>
  </div>`}var mp={entropy:"spread (entropy)",sharpness:"highest weight"};function fp(){let{sortBy:e,importance:t}=l.heads,n=Object.keys(ls).filter(s=>s!=="worth"||t),o=s=>p`<option value=${s} ?selected=${s===e}>${mp[s]??s}</option>`;return p`<label
    >Order
    <select id="order" @change=${s=>g({heads:{sortBy:C(s)}})}>
      ${n.map(o)}
    </select></label
  >`}function gp(e,t){if(!e)return m;let n=`Layer ${e.split(".")[1]}`;return te()?p`<button
    class="site"
    title="Switch the whole layer off or on"
    aria-label="${n} (${e})"
    @click=${()=>void lt(t)}
    >${n}</button
  >`:p`<span class="site">${n}</span>`}function bp(e){return l.inspection.result?.target!=null?e==="encoder"?"Encoder: the text reads itself":e==="cross"?"Cross: the translation reads the text":"Decoder: the translation reads what is written (grey area: not written yet)":"The text reads itself"}function wp(e){let t=e.map(({layer:n})=>n.split(".")[0]);return[...new Set(t)].map(n=>e.filter((o,s)=>t[s]===n))}function yp(e,t){let[n]=e[0].layer.split(".");return p`<div class="group">
    ${n?p`<p class="kind hint">${bp(n)}</p>`:m} ${e.map(o=>$p(o,t))}
  </div>`}function $p({layer:e,heads:t},n){let o=t.map(s=>s.head);return p`<div class="layer" role="group" aria-label=${e||"all heads"}>
    ${gp(e,o)}
    <div class="cells ${e?"":"sorted"}" ${E({"--count":String(t.length)})}>
      ${t.map(s=>pp(s,s.head===n))}
    </div>
  </div>`}function xp(){let{heads:e}=l.inspection.result,{importance:t,importanceByToken:n,disabled:o}=l.heads,s=c=>t?.[c]??null,r=["head","label","entropy","highest_weight","offset","worth"];return _("heads",["#heads","#sweep",".chosen"],()=>[[...r,...t?Te():[]],...e.map(({head:c,label:u,entropy:d,confidence:h,offset:f})=>{let b=t?n[c]??[]:[];return[c,u,d,h,f,s(c),...b]})],()=>e.map(c=>({...c,is_off:o.includes(c.head),worth:s(c.head),worth_by_token:n[c.head]??null})))}function zi(){let e=l.inspection.result;if(!e)return p`<section class="panel heads" aria-labelledby="heads-title">
      <div class="head"><h2 id="heads-title">Heads</h2></div>
      <p class="hint">
        A head is one way of looking: each layer has several. All of them appear here, and each can be switched off.
      </p>
    </section>`;let{disabled:t}=l.heads,n=e.heads.find(c=>c.head===l.view.head),o=Ui(),s=n?.head??o[0]?.heads[0]?.head,r=p`<button id="rank" @click=${()=>void ct()}>Rank all heads</button>
    <span class="hint">by ${k("worth","worth")}: ${e.heads.length} runs of the model</span>`,i=()=>Ue("heads-off.txt",`${t.join(`
`)}
`);return p`<section
    class="panel heads ${D()?"stale":""}"
    aria-labelledby="heads-title"
    ${E({"--widest":String(Math.max(...o.map(({heads:c})=>c.length)))})}
  >
    <div class="head">
      <h2 id="heads-title">Heads</h2>
      ${fp()} ${J()&&te()?r:m}
      ${t.length?p`<button @click=${i}>List of heads that are off</button>`:m}
      ${xp()}
    </div>
    ${n?hp(n):m}
    <div id="heads">${wp(o).map(c=>yp(c,s))}</div>
    ${qi(o.flatMap(({heads:c})=>c.map(u=>u.head)))}
    <p class="hint">
      Click or arrows: look at a head. N, P: the next and the previous one. ${te()?"Space: switch it off or on. Shift and space: its layer. S: only this one.":m}
    </p>
  </section>`}var Ji=150,Jt=40,cs=84,zt=Ji-cs/2,kp=e=>/\.\d+\.\d+$/.test(e);function us(e){if(e==="embeddings")return e;let[t,n]=e.split("."),o=`layer ${n}`;if(e.endsWith("feed_forward"))return`${o}: feed-forward`;let s=t==="decoder"&&l.inspection.result?.target!==null;return`${o}: reads ${s?"what is written":"the text"}`}function vp({parts:e}){return Object.keys(e).filter(kp).sort((n,o)=>e[o]-e[n])[0]}function Tp({name:e,length:t,total:n},o,s){let r=w=>Math.min(cs,Math.max(1,cs*w/s)),[i,a]=[r(o),r(n)],c=Math.min(Jt,r(t)),u=e==="embeddings",d=u?a:i,h=Jt/2,f=zt-i/2,b=`M 0 ${h} C 30 ${h}, ${f-14} ${h}, ${f+6} ${h+4}`;return H`<path class="state" d="M ${zt-d/2} 0 L ${zt+d/2} 0
      L ${zt+a/2} ${Jt} L ${zt-a/2} ${Jt} Z"></path>
    ${u?m:H`<path class="added" stroke-width=${c.toFixed(2)} d=${b}></path>`}`}function Sp(e,{before:t,max:n,expected:o}){let{name:s,length:r,total:i,says:a}=e,c=vp(e),u=c!==void 0&&M(l.view.head)===s,d=()=>{oe(c),yt(".alignment")},h=`adds ${r.toFixed(2)}; the state is then ${i.toFixed(2)} long`,f=us(s),b=p`<button
    class="link"
    title="Show head ${c?.split(".")[2]}, which adds most"
    aria-label="${f}. Show ${c}, the head that adds most"
    @click=${d}
    >${f}</button
  >`;return p`<div class="junction ${u?"here":""}" role="listitem" data-sublayer=${s}>
    <span>${c?b:f}</span>
    <svg viewBox="0 0 ${Ji} ${Jt}" preserveAspectRatio="none" role="img" aria-label=${h}>
      <title>${h}</title>
      ${Tp(e,t,n)}
    </svg>
    <span class="number length">${r.toFixed(1)}</span>
    ${a?p`<bdi class=${a[0]===o?"strong":""}>${$(a[0])}</bdi
            ><span class="number">${(100*a[1]).toFixed(0)} %</span>`:m}
  </div>`}var Rp={rotation:"a head rotates its query and its keys by angles that grow with their positions, so a score depends on how far apart the two tokens are",bias:"a head adds a number to each score that depends on how far apart the two tokens are",values:"a head adds a vector to each value that depends on how far apart the two tokens are"},Ap="It is the same with the tokens of the text, in the encoder.";function Ep({sublayers:e,positions:t}){let[n,o]=e,{token:s,position:r}=n?.parts??{},i=p`comes in at the first row, which has two parts: the embedding of the token,
  ${s?.toFixed(1)} long, and that of its position, ${r?.toFixed(1)} long. (They point in different
  directions, so lengths do not add up.)`,a=p`comes in at “${o?us(o.name):""}”, and at the same part of each further
  layer: ${t.map((f,b)=>p`${b?", and ":m}${Rp[f]}`)}.`,c="does not come in: this model has no positions, so a place knows only which tokens it may look at.",u=l.inspection.result?.target!==null,d=r!==void 0,h=t.length>0;return p`<p id="token-order">
    <b>The order of the tokens</b> ${d?i:m}
    ${h?p`${d?"It also":m} ${a}`:m}
    ${d||h?m:c} ${u?Ap:m}
  </p>`}function Pp({sublayers:e},t){if(t===void 0||!e.at(-1)?.says)return m;let n=p`<bdi class="strong">${$(t)}</bdi>`,o=e.map(({says:r})=>r?.[0]!==t).lastIndexOf(!0),s=e[o+1];return p`<p id="made-word">
    <b>The word to write</b> is made in the layers:
    ${s?p`from “${us(s.name)}” on, the output layer would write ${n}.`:p`at their end, ${n} is not the likeliest token.`}
  </p>`}function Yi(e,t){if(l.server.storedPage||ht()||!l.inspection.result?.weights.size)return;$r(e);let{stream:n}=l.inspection;if(!n)return p`<p class="hint">…</p>`;let{sublayers:o}=n.result,s=Math.max(...o.map(({total:r})=>r));return p`<div class="captions" aria-hidden="true">
      <span>part</span><span class="state-caption">state</span><span class="number length">adds</span
      ><span>would write</span><span class="number">likely</span>
    </div>
    <div class="stream ${n.cell===Me(e)?"":"stale"}" role="list">
      ${o.map((r,i)=>Sp(r,{before:o[i-1]?.total??0,max:s,expected:t}))}
    </div>
    ${Ep(n.result)} ${Pp(n.result,t)}
    <p class="hint">
      From top to bottom, ${k("stream","the state")} of the place above grows: each attention and each feed-forward
      layer adds a vector of the length beside it. The last columns have the token that the output layer would write
      from the state as it is there, and how likely (the ${k("lens","logit lens")}). Before the last layers this is
      a hint only: the state is made for the layers that follow. At the top it is still the token that was read.
    </p>`}var Mp=5;async function Xe(){Ae(),await Qi()}async function Zi(){let{text:e}=l.request,t=j(),n=()=>t!==null&&j()===t&&l.request.text===e&&!l.status.error;await Qi();for(let o of t?.edits??[])n()&&await _p(o);t&&n()&&await Op(t,n),j()===t&&!l.status.error&&Ae(),g({})}async function _p({sentenceIndex:e,edit:t}){if(!l.output.sentences[e]?.isDone)return;let{sentenceIndex:n,outputPosition:o}=l.view;g({view:{sentenceIndex:e}}),await(t.kind==="prefix"?oa(t.position,t.token,t.prefix):Tt(t)),g({view:{sentenceIndex:n,outputPosition:o}}),e!==n&&await V()}async function Op(e,t){let{snapshot:n,compared:o,tracesSearch:s,ranksHeads:r}=e,{sortBy:i}=l.heads;s&&t()&&await Pe(),r&&t()&&await ct(),g({heads:{sortBy:i}}),o&&t()&&await Yt(o),n!==null&&T()?.snapshots?.includes(n)&&t()&&await Sn(n)}async function Qi(){let{text:e,isHtml:t}=l.request;if(Re("inspect"),!A())return;if(!e.trim())return Re("translate"),g(...un);if(t)return await Cp(e);await P("translate","Translating",async o=>{let s=nt(),r={...Y(),...s,text:e,alternatives:tt};await ea(r,o,{decoding:s},i=>{let a=Math.max(0,Math.min(l.view.sentenceIndex,i.length-1));g({output:{sentences:i,sourceText:e,html:"",compared:null,options:null},view:{hoveredToken:null,sentenceIndex:a}})})})&&x()?.isDone&&await V()}async function Cp(e){await P("translate","Translating",async t=>{let n={...Y(),...nt(),text:e,format:"html"},{text:o}=await N("translate",n,t);g({output:{html:o,sourceText:e,sentences:[]}},wo)})}async function ea(e,t,n,o){let s=l.request.temperature?{}:{n_best:Math.min(l.request.beamSize,Mp)},r=[];for await(let{name:i,data:a}of Vs({...e,...s},t)){if(t.aborted)return;if(i==="meta"){for(let c=0;c<a.sentences;c++)r.push({...gt(),index:c,...n});continue}if(i==="error")throw new G(a.status,a.message);if(i==="token"){let c=r[a.sentence];c.text=a.text,c.tokens.push(...a.tokens??[])}else i==="done"&&Lp(r,a,n.separator);g({output:{isEarlier:!1}}),o(r)}}function Lp(e,{text:t,sentences:n},o){let s=0;n.forEach((r,i)=>{let{text:a,score:c,source:u,ids:d,n_best:h=[]}=r,f=Math.max(t.indexOf(a,s),s),b={text:a,score:c,source:u,ids:d,nBest:h,isDone:!0,separator:o??t.slice(s,f)};Do(Object.assign(e[i],b),r),s=f+a.length})}function ta(){let e=Object.values(l.inspection.result?.tokens??{}).at(-1)?.rows;return e?.offsets.at(-1)===null?e.spelled.at(-1):void 0}var na=e=>!_e(e)||A()&&e===ta();async function ps(e,t){let n=x();if(!n?.isDone)return;let o=n.tokens.slice(0,e).map(s=>s.token);U(),await Vn(async()=>{t===ta()?await Tt({text:Q(o),ids:n.ids.slice(0,e)}):await oa(e,t,Q([...o,t]))})}async function Vn(e){let t=document.activeElement?.closest(".alternatives, .before, .nbest");await e(),at(()=>{let{activeElement:n}=document,o=!n||n===document.body||n.disabled;if(!t||!o)return;(document.querySelector('#output .token[aria-pressed="true"]')??document.querySelector("#output .token"))?.focus()})}async function oa(e,t,n){let o=x(),{sentences:s}=l.output,{sentenceIndex:r}=l.view;if(!o?.isDone)return;let{source:i,separator:a}=o,c=nt(),u={...Y(),...c,text:i,prefix:n,split:!1,alternatives:tt},d={kind:"prefix",position:e,token:t,prefix:n},h={source:i,separator:a,decoding:c,prefix:n,original:o.original??o,edit:d},f=s,b=await P("translate","Decoding again",async y=>{await ea(u,y,h,([v])=>{f=s.with(r,v),g({output:{sentences:f,compared:null},view:{outputPosition:e}})})});f!==s&&l.output.sentences===f&&!f[r].isDone&&g({output:{sentences:s}}),b&&x()?.isDone&&await V()}async function ds(){let{original:e}=x()??{};e&&(U(),await Vn(async()=>{let{sentenceIndex:t,outputPosition:n}=l.view;g({output:{sentences:l.output.sentences.with(t,e),compared:null},view:{outputPosition:Math.min(n,e.tokens.length-1)}}),await V()}))}async function sa(e,{text:t,ids:n},o){let s=n.length?{target_ids:n}:{target_text:t},r={...Y(),text:e.source,...s,alternatives:tt},i=await N("score",r,o),a={...e,text:t,ids:i.ids,original:e.original??e,edit:{kind:"translation",text:t,ids:i.ids},score:i.log_prob,tokens:[]};return Do(a,{...i,tokens:i.tokens.slice(0,-1)}),a}async function Yt(e){let t=x(),{compared:n}=l.output;if(!t||n&&En(n,e))return g({output:{compared:null}});await P("compare","Reading",async o=>{g({output:{compared:await sa(t,e,o)}})})}async function Tt(e){let t=x(),{sentenceIndex:n}=l.view;if(!t)return;await P("translate","Reading",async s=>{let r=await sa(t,e,s),i=Math.max(0,Math.min(l.view.outputPosition,r.tokens.length-1));g({output:{sentences:l.output.sentences.with(n,r),compared:null},view:{outputPosition:i,hoveredToken:null}})})&&await V()}var la=.55,Hp=-3,St=e=>`${(100*Math.exp(e)).toFixed(e>Math.log(.1)?0:1)} %`,hs=e=>({background:e===null?"":pe("doubt",la*Math.min(1,e/Hp))});function ca(e,t){let n=l.view.sentenceIndex!==e;g({view:{sentenceIndex:e,outputPosition:t}},n?{output:{compared:null}}:{}),n&&V()}function Ip(e,t,n){let o=l.output.sentences[t].tokens.length,s=getComputedStyle(e.target).direction==="rtl"?-1:1,i={ArrowLeft:n-s,ArrowRight:n+s,Home:0,End:o-1}[e.key];i===void 0||i<0||i>=o||kt(e)||(e.preventDefault(),ca(t,i),document.querySelector(`[data-sentence="${t}"] [data-place="${i}"]`)?.focus())}function ua({edit:e},t,n){return e?.kind==="prefix"&&e.position===n&&e.token===t.token}function Np(e,t,n,o,s,r){let i=e.tokens[t],{outputPosition:a}=l.view,c=l.view.sentenceIndex===n,u=c&&a===t,d=t===0&&(!c||a>=e.tokens.length),h=ua(e,i,t);return p`<button
    class="token ${o?"new":""} ${h?"prefix-end":""} ${s}"
    ${E(hs(i.log_prob))}
    aria-pressed=${u}
    tabindex=${u||d?0:-1}
    data-place=${t}
    aria-description=${i.log_prob===null?"":St(i.log_prob)}
    title=${h?"written by you":m}
    @click=${()=>ca(n,t)}
    @keydown=${f=>Ip(f,n,t)}
    @pointerenter=${f=>Bp(f,n,t)}
    @pointerleave=${pa}
    dir=${ie(i.token,r)}
    >${$(i.token)}</button
  >`}var Wp=200,Dp=280,ra=8,Kn=0;function Bp(e,t,n){if(e.pointerType==="touch"||(clearTimeout(Kn),!l.output.sentences[t]?.tokens[n]?.alternatives.length))return;let{left:o,bottom:s}=e.target.getBoundingClientRect();g({view:{hoveredToken:{sentenceIndex:t,position:n,left:o,bottom:s}}})}function pa(){clearTimeout(Kn),Kn=window.setTimeout(()=>{l.view.hoveredToken&&g({view:{hoveredToken:null}})},Wp)}function Xn(e){let{hoveredToken:t,sentenceIndex:n,outputPosition:o}=l.view;if(!t)return m;let{sentenceIndex:s,position:r,left:i,bottom:a}=t,c=l.output.sentences[s],u=c?.tokens[r];if(!u||s===n&&r===o)return m;let d=b=>{g({view:{sentenceIndex:s,outputPosition:r,hoveredToken:null}}),e(r,b)},h=innerWidth-Dp-ra,f={left:`${Math.max(ra,Math.min(i,h))}px`,top:`${a}px`};return p`<div
    class="peek"
    aria-hidden="true"
    @pointerenter=${()=>clearTimeout(Kn)}
    @pointerleave=${pa}
    ${E(f)}
  >
    ${da(c,u,d,-1)}
  </div>`}function da(e,t,n,o){let s=(r,i)=>{let a=r===t.token;return p`<button
      class="bar ${a?"own":""}"
      tabindex=${o}
      ?disabled=${a||!e.isDone||!na(r)}
      @click=${()=>n(r)}
      ><bdi>${$(r)}</bdi
      ><span class="track"><span ${E({width:`${100*Math.exp(i)}%`})}></span></span>
      <span class="number">${St(i)}</span></button
    >`};return t.alternatives.map(([r,i])=>s(r,i))}function zn(e){let t=x(),{outputPosition:n}=l.view,o=t?.tokens[n];if(!t||!o?.alternatives.length)return m;let s=$(o.token);return p`<div class="alternatives" role="group" aria-label="Other tokens in the place of ${s}">
    <p class="hint">
      In the place of <bdi class="strong">${s}</bdi>.
      <span data-unsaved>Choose a token: it is written, and the rest is decoded again.</span>
    </p>
    ${da(t,o,r=>void e(n,r),0)}
  </div>`}var Fp=e=>p`<button
    class="unpin"
    data-unsaved
    title="Take it back"
    aria-label="Take ${$(e)} back"
    @click=${()=>void ds()}
    >✕</button
  >`,ms=(e,t)=>t&&e.startsWith("▁")?" ":m;function ia(e,t){let{original:n}=e;if(!n||!e.isDone)return m;let o=p`<button id="take-back" data-unsaved @click=${()=>void ds()}>Take it back</button>`;return p`<p class="before hint">
    before: <bdi>${je(n.text,e.text,"deleted")}</bdi> ${t===l.view.sentenceIndex?o:m}
  </p>`}function aa(e,t,n){if(!t.length)return m;let o=e==="Given"?e:"Written by the model";return p`<div class="run ${e.toLowerCase()}" role="group" aria-label=${o}>
    <span class="run-name" aria-hidden="true">${o}</span>
    <p class="output" dir=${n}>${t}</p>
  </div>`}function Rt(e,t){let n=Bo(e),o=e.tokens.map(h=>h.token),s=!e.isDone&&l.status.busy.translate,r=se(Q(o)),i=re(o,r),a=o.map((h,f)=>{let b=bt(o,f),w=Np(e,f,t,n[f],b,i[f]),S=e.isDone&&ua(e,e.tokens[f],f)&&t===l.view.sentenceIndex?p`${w}${Fp(h)}`:w;return{space:ms(h,f),box:S}}),c=(h,f)=>Fn(a.slice(h,f),o.slice(h,f),i.slice(h,f),r),u=`Sentence ${t+1}`,{numGiven:d}=e;if(d){let h=[aa("Given",c(0,d),r),aa("Written",c(d),r)];return p`<div data-sentence=${t}>${h}</div> ${ia(e,t)}`}return p`<p class="output" dir=${r} data-sentence=${t} role="group" aria-label=${u}>
      ${c(0)}${s?p`<span class="caret"></span>`:m}
    </p>
    ${ia(e,t)}`}function At(){let e=l.output.sentences.some(s=>Bo(s).some(Boolean)),t=x()?.edit?.kind==="prefix",n=p`<span><u class="new">underlined</u>: other than before</span>`,o=p`<span><span class="token prefix-end">framed</span>: written by you</span>`;return p`<p class="legend" id="doubts">
    <span>${k("probability","the model was sure")} ${ee("doubt",la)} unsure</span>
    ${e?n:m} ${t?o:m}
  </p>`}function Et(){let e=l.output.sentences.flatMap((t,n)=>t.tokens.flatMap(({token:o,log_prob:s,alternatives:r},i)=>{let a=[n,i,o,s];return r.length?r.map(c=>[...a,...c]):[[...a,"",null]]}));return[["sentence","place","token","log_prob","alternative","its_log_prob"],...e]}var qp=900,ha=0;function ma(){g({view:{isPlaying:!l.view.isPlaying}}),clearInterval(ha),l.view.isPlaying&&(ha=window.setInterval(Gp,qp))}function Gp(){let e=(l.inspection.sentence?.tokens.length??1)-1;l.view.outputPosition>=e?ma():g({view:{outputPosition:l.view.outputPosition+1}})}var jp=e=>e?`layer ${e-1}`:"embeddings";function Up(e,t,n){let o=(s,[r,i])=>p`<div class="change" role="listitem">
      <span>${jp(s)}</span
      ><span class="track"><span ${E({width:`${100*i}%`})}></span></span>
      <bdi class=${r===n?"strong":""}>${$(r)}</bdi
      ><span class="number">${(100*i).toFixed(0)} %</span>
    </div>`;return p`<div class="lens" role="list">
      ${e.map((s,r)=>o(r,s[t]??["",0]))}
    </div>
    <p class="hint">
      What the output layer makes of each layer's state (the ${k("lens","logit lens")}). Early layers were not
      trained for this: read it as a hint.
    </p>`}function Vp(e,t){return _("layers",[".lens",".stream"],()=>[["step","layer","token","probability"],...t.flatMap((o,s)=>o.map(([r,i],a)=>[a,s?s-1:"embeddings",r,i]))],()=>({tokens:e.tokens.map(o=>o.token),layers:t,stream:l.inspection.stream?.result.sublayers??null}))}function Kp(e,t,n){let o=Math.max(0,e.tokens.length-1),{token:s="",log_prob:r}=e.tokens[t]??{},{isPlaying:i}=l.view,a=typeof r=="number"?p` (<span id="probability">${St(r)}</span>)`:m,c=e.tokens.map(y=>y.token),u=p`<bdi class="strong">${$(s)}</bdi>${a}`,d=!n&&l.inspection.result.target!==null,h=()=>ae(es(c,t),"about",a),f=p`${u}; this place is ${ae(ts(c,t))}`,b=d?h():n?f:u,w=`in the ${d?"translation":"text"}, counted from 1`;return p`<div class="controls">
    <button id="play" @click=${ma} aria-label=${i?"Pause":"Play"}
      >${i?"❚❚":"▶"}</button
    >
    <input
      id="step"
      type="range"
      min="0"
      max=${o}
      step="1"
      .value=${String(t)}
      aria-label="Token"
      aria-valuetext=${$(s)}
      @input=${y=>g({view:{outputPosition:Number(C(y))}})}
    />
    <span>token ${t+1} of ${o+1} ${w}: ${b}</span>
  </div>`}function Xp(){let e=t=>{let n=`${I}${t}`,o=()=>{oe(n),yt(".alignment")};return p`<button aria-pressed=${l.view.head===n} @click=${o}>${t.replace("-"," ")}</button>`};return p`<p class="flows">
    <span class="hint">The share of each token of the input in the output, ${k("flow","through all layers")}:</span>
    ${ke.map(e)}
  </p>`}function fa(){let{sentence:e,result:t,flow:n}=l.inspection;if(!t||!e)return m;let{storedPage:o}=l.server,{lens:s,target:r,token_log_probs:i}=t,a=s.length>0,c=Math.max(0,Math.min(l.view.outputPosition,e.tokens.length-1)),u=r===null&&i.length>0,d=e.tokens[u?c+1:c]?.token,h=o?"This page was stored without what each layer would say; regard inspect --lens stores it.":"This model's layers cannot be read through its output layer.",f=n!==null&&l.view.head.startsWith(I);return p`<section class="panel layers ${D()?"stale":""}" aria-labelledby="layers-title">
    <div class="head">
      <h2 id="layers-title">Through the layers</h2>
      ${a?Vp(e,s):m}
    </div>
    ${Kp(e,c,u)}
    ${Yi(c,d)??(a?Up(s,c,d):p`<p class="hint">${h}</p>`)}
    ${o?m:Xp()}
    ${f?p`<p class="hint" id="caveat">The alignment shows it. ${n.caveat}</p>`:m}
  </section>`}var gs=332,ze=120,Jn=16,Je=17,$a=6,Zn=14,zp=3*Zn+4,Jp=2*Zn+4,ga=12;function fs(e){let t=[...l.inspection.result.weights.keys()];return new Set(t.filter(n=>n.startsWith(`${e}.`)).map(M)).size}function Yp(){let e=l.inspection.result.target!==null,t=(o,s)=>{let r=s.filter(([a])=>fs(a)),i=Math.max(0,...r.map(([a])=>fs(a)));return Array.from({length:i},(a,c)=>[...r.map(([u,d])=>({site:`${u}.${c}`,label:d})),{site:`${o}.${c}.feed_forward`,label:"feed-forward"}])};if(!e){let o=fs("decoder")?"decoder":"encoder";return[{name:o,x:(gs-ze)/2,layers:t(o,[[o,"reads the text"]])}]}let n=t("decoder",[["decoder","reads what is written"],["cross","reads the text"]]);return[{name:"encoder",x:Jn,layers:t("encoder",[["encoder","reads itself"]])},{name:"decoder",x:gs-ze-Jn,layers:n}]}function Yn(e){let{head:t}=l.view;return l.inspection.result.weights.has(t)?M(t)===e:t.startsWith(I)?!1:t.startsWith(K)?t===`${K}${e}`:e.startsWith(`${Ce().kind}.`)&&e.split(".").length===2}var ba=e=>e.length>ga?`${[...e].slice(0,ga-1).join("")}…`:e;function Zp({x:e,layers:t},n){let o=n;return t.flatMap(s=>{let r=s.map(i=>({...i,x:e,y:o-=Je}));return o-=$a,r})}function wa({site:e,label:t,x:n,y:o}){return H`<g class=${Yn(e)?"band here":"band"} data-site=${e}>
    <rect x=${n} y=${o} width=${ze} height=${Je-2} rx="3"></rect>
    <text x=${n+ze/2} y=${o+Je/2-1} dy="0.35em">${t}</text>
  </g>`}function Qp({name:e,x:t,layers:n},o,s){let r=s?t+ze+Jn/2:t-Jn/2,i=0;return n.map((a,c)=>{let u=o.slice(i,i+=a.length),d=(u[0].y+u.at(-1).y+Je)/2-1,h=u.some(({site:f})=>Yn(f))?"number here":"number";return H`<text class=${h} data-layer="${e}.${c}" transform="translate(${r} ${d}) rotate(-90)"
      dy="0.35em">layer ${c}</text>`})}var ya=(e,t,n)=>e.map((o,s)=>H`<text class="side" x=${t+ze/2} y=${n+(s+.5)*Zn} dy="0.35em">${o}</text>`);function ed(e,{site:t,x:n,y:o}){let[s,r]=[e.x+ze,e.y+Je/2],i=(s+n)/2,a=o+Je/2-1;return H`<path class=${Yn(t)?"reads here":"reads"}
    d="M ${s} ${r} C ${i} ${r}, ${i} ${a}, ${n-6} ${a}"></path>
    <path class=${Yn(t)?"tip here":"tip"} d="M ${n-7} ${a-4} l 7 4 l -7 4 Z"></path>`}function td(e){let t=Yp(),n=t.map(({layers:d})=>d.flat().length*Je+Math.max(0,d.length-1)*$a),o=zp+Math.max(...n),[s,r]=t.map(d=>Zp(d,o)),i=$e(e,e.row),a=s.at(-1),c=({name:d,x:h},f)=>{let b=d==="decoder"?i:null,y=r!==void 0&&d==="decoder"?"what is written":"the text",v=b?.read==null?[y]:["has read up to",ba($(b.read))],S=b?[d,"about to write",ba($(b.writes??"…"))]:[d],R=f.at(-1)?.y??o;return H`${ya(v,h,o+2)} ${ya(S,h,R-4-S.length*Zn)}`},u=r?.filter(d=>d.site.startsWith("cross."))??[];return p`<svg
    id="map"
    viewBox="0 0 ${gs} ${o+Jp}"
    role="img"
    aria-label="The stacks of the model. Lit: ${l.view.head}"
  >
    ${s.map(wa)} ${r?.map(wa)} ${a?u.map(d=>ed(a,d)):m}
    ${t.map((d,h)=>c(d,h?r:s))}
    ${t.map((d,h)=>Qp(d,h?r:s,h>0))}
  </svg>`}function nd(e){let t=$e(e,e.row),n=Number(M(l.view.head).split(".").at(-1)),o=n?`layer ${n-1}`:"the embeddings",s=t?p`the state of the place that is ${ae(t)}`:p`the state of <bdi class="strong">${$(e.rows.labels[e.row])}</bdi>`,r="Its keys and values come from the encoder: its last layer has a state for each token of the text.",i=`Its keys and values come from the same layer: the states of ${e.kind==="decoder"?"all tokens that were read up to there":"all tokens"}, as they are after ${o}.`;return p`<p id="origins">
    The query of this head comes from ${s}. ${e.kind==="cross"?r:i}
  </p>`}function xa(){let{result:e}=l.inspection,t=Ce();if(!e||!t||e.arch==="rnn")return m;let n=p`<p id="origins">
    What is shown now is no head: it goes through all layers, from the text to what is written.
  </p>`,o=e.weights.has(l.view.head);return p`<section class="panel map ${D()?"stale":""}" aria-labelledby="map-title">
    <div class="head"><h2 id="map-title">Where it stands</h2></div>
    ${td(t)} ${o?nd(t):t.kind==="flow"?n:m}
  </section>`}var ka=()=>({id:"",step:0,token:"",candidate:null,children:[],path:[],ids:[],isOnBestPath:!0});function od({trace:e}){let t=ka(),n=[];for(let[o,s]of e.entries()){let r=new Set(s.filter(i=>i.fate==="dropped").slice(0,2));n=s.map((i,a)=>{let{fate:c,token:u,id:d}=i,h=i.parent===null?t:n[i.parent];if(!h||c==="dropped"&&!r.has(i))return;let f=c==="finished",b=f?h.path:[...h.path,u],w=f?h.ids:[...h.ids,d],y={...ka(),id:`${o}.${a}`,step:o+1,token:u,candidate:i,path:b,ids:w};return h.children.push(y),y})}return t}function bs(e,t,n){let o=e.step===n,r=(e.candidate?.fate==="finished"||o)&&String(e.ids)===String(t),i=e.children.map(a=>bs(a,t,n)).some(Boolean);return e.isOnBestPath=i||r,e.isOnBestPath}var Zt=null;function va(e,t){if(Zt?.trace===e&&Zt.ids===String(t))return Zt;let n=od(e),o=e.trace.length,s=bs(n,t,o);s||bs(n,e.sentences[0]?.ids??[],o);let r=[],i=0,a=(u,d,h)=>{let f={node:u,parent:d,x:8+84*h,y:32*(i+1)};r.push(f),u.children.length||(i+=1);let b=[...u.children].sort((w,y)=>Number(y.isOnBestPath)-Number(w.isOnBestPath));for(let w of b)a(w,f,h+1)};a(n,null,0);let c=Math.max(...r.map(u=>u.x))+84;return Zt={trace:e,ids:String(t),isFound:s,nodes:r,width:c,height:32*(i+1)},Zt}function Ta({x:e,y:t,parent:n}){let o=n.x+(n.parent?34:4),s=e-30,r=s-6;return n.y===t?`M ${o} ${t} L ${s} ${t}`:`M ${o} ${n.y} C ${r} ${n.y}, ${r-6} ${t}, ${s} ${t}`}function Sa({nodes:e},t,n){let o=e.filter(a=>a.x===t.x).sort((a,c)=>a.y-c.y),[s]=e.filter(a=>a.parent===t).sort((a,c)=>a.y-c.y),r=o.indexOf(t);return{ArrowLeft:t.parent?.parent?t.parent:void 0,ArrowRight:s,ArrowUp:o[r-1],ArrowDown:o[r+1]}[n]}var Ra=9,sd={active:"went on",finished:"ended",dropped:"was dropped"};function rd(e){let t=[...$(e)];return t.length>Ra?`${t.slice(0,Ra-1).join("")}…`:t.join("")}function Aa({path:e,ids:t}){e.length&&(U(),Tt({text:Q(e),ids:t}))}async function id({path:e,ids:t}){await Yt({text:Q(e),ids:t}),requestAnimationFrame(()=>document.querySelector("#compared")?.scrollIntoView({block:"nearest"}))}function ad({node:e}){let{fate:t,score:n}=e.candidate,o=Q(e.path),s=String(e.ids)===String(x()?.ids),r=p`<button id="open" @click=${()=>Aa(e)}>Open in the other panels</button>
    <button id="beside" @click=${()=>void id(e)}>Compare with the chosen one</button>`;return p`<p id="candidate" role="status">
    <bdi class="strong">${o||"nothing"}</bdi> ${sd[t]} at step ${e.step}, with a score of
    <span class="strong number">${n.toFixed(3)}</span>. ${o&&!s?r:m}
  </p>`}function ld(e,t,n){let s=e.key==="Enter"||e.key===" "?n:Sa(t,n,e.key);s&&(e.preventDefault(),g({search:{candidate:s.node.id}}),requestAnimationFrame(()=>document.querySelector(`#tree [data-node="${s.node.id}"]`)?.focus()))}var Ea=({node:e})=>`${e.isOnBestPath?"best":""} ${e.candidate.fate}`;function cd(e){return H`<path class="branch ${Ea(e)}" d=${Ta(e)}></path>`}function ud(e,t,n){let{node:o,x:s,y:r}=t,{fate:i,score:a}=o.candidate;return H`<g class="node ${Ea(t)}" tabindex=${n?0:-1} data-node=${o.id} role="button"
      aria-pressed=${o.id===l.search.candidate}
      aria-label="${$(o.token)}, ${i}, score ${a.toFixed(2)}" transform="translate(${s}, ${r})"
      @click=${()=>g({search:{candidate:o.id}})} @dblclick=${()=>Aa(o)}
      @keydown=${c=>ld(c,e,t)}>
    <text dy="-0.1em" text-anchor="middle">\u2068${rd(o.token)}\u2069</text>
    <text class="score" dy="1.1em" text-anchor="middle">${a.toFixed(2)}</text>
    <title>${Q(o.path)} (${a.toFixed(3)})</title></g>`}function pd(e,t){let n=e.nodes.slice(1),o=t??n[0];return p`<div class="scroll">
    <svg
      id="tree"
      width=${e.width}
      height=${e.height}
      role="group"
      aria-label="Tree of the search, ${n.length} candidates. Arrow keys go from one to another."
    >
      ${n.map(cd)} ${n.map(s=>ud(e,s,s===o))}
    </svg>
  </div>`}function dd(e,t,n){if(t)return p`<p class="hint">This is the search for another translation.</p>`;if(n)return m;let o="temperature"in e.decoding?"The translation above was drawn. This is what beam search would have tried.":"The translation above is not among these: it was chosen otherwise.";return p`<p class="hint" id="unsearched">${o}</p>`}function hd(e,t,n){let o=va(e,t.ids),s=o.nodes.slice(1).find(i=>i.node.id===l.search.candidate),r=p`<p class="hint" id="with-prefix">
    All begin with what you wrote: <bdi class="strong">${t.prefix}</bdi>
  </p>`;return p`${pd(o,s)} ${s?ad(s):m}
    ${dd(t,n,o.isFound)} ${t.prefix?r:m}
    <p class="hint">
      From left to right, a step for each token; below each token is its score, the log-probability of all up to there.
      The top row is <span class="sign best">${o.isFound?"the chosen hypothesis":"the best hypothesis"}</span>.
      Lines lead from a token to those that were tried after it: full where they were kept, dashed where they were
      dropped. Others <span class="sign dropped">were dropped</span> (of each step, the best two are drawn) or
      <span class="sign finished">ended</span>. Click a token to open its text in the other panels, or to compare it.
    </p>`}function md(e){return _("search",["#tree"],()=>[["step","place","parent","token","log_prob","score","fate"],...e.trace.flatMap((n,o)=>n.map(({parent:s,token:r,log_prob:i,score:a,fate:c},u)=>[o+1,u,s,r,i,a,c]))],()=>e)}function Pa(){let e=x(),{trace:t}=l.search;if(!l.inspection.result||!e||!A())return m;let n=t!==null&&t.requestKey!==dt(e),o=p`<p class="hint">
    Beam search keeps the ${l.request.beamSize} best beginnings at each step. This draws them, and the best that it
    dropped.
  </p>`;return p`<section class="panel search ${n?"stale":""}" aria-labelledby="search-title">
    <div class="head">
      <h2 id="search-title">${k("search","Search")}</h2>
      <button id="search" @click=${()=>void Pe()}>${t?"Search again":"Show the search"}</button>
      ${t?md(t):m}
    </div>
    ${t?hd(t,e,n):o}
  </section>`}function Ma(){let e=T()?.snapshots??[];if(!e.length||!A()||!x()?.isDone)return m;let{snapshot:t,result:n}=l.inspection,o=t===null?e.length:e.indexOf(t),s=a=>{let c=e[Number(C(a))];c===void 0?V():Sn(c)},r=t===null?"the model itself":p`after <span class="strong number">${t.toLocaleString("en")}</span> steps`,i=p`<p>
    Written then: <bdi id="snapshot-written" class="strong">${n?.written||"nothing"}</bdi>
  </p>`;return p`<section class="panel snapshots ${D()?"stale":""}" aria-labelledby="snapshots-title">
    <div class="head">
      <h2 id="snapshots-title">${k("snapshot","While it was trained")}</h2>
    </div>
    <div class="controls">
      <input
        id="snapshot"
        type="range"
        min="0"
        max=${e.length}
        step="1"
        .value=${String(o)}
        aria-label="Step of training"
        aria-valuetext=${t===null?"the model itself":`step ${t}`}
        @input=${s}
      />
      <span>${r}</span>
    </div>
    ${t!==null&&n?.written!==void 0?i:m}
    <p class="hint">The panels above show what the model looked at then, while the same translation was written.</p>
  </section>`}function _a(){let e=l.inspection.result,t=x(),{note:n,says:o}=l.server.storedPage;return p`<section class="panel stored" aria-labelledby="text-title">
    <div class="head">
      <h2 id="text-title">Text</h2>
      ${_("text",["#text",".stored .output[data-sentence]"],Et,()=>t)}
    </div>
    <p dir="auto" id="text" class="output">${e.text}</p>
    ${o?p`<p dir="auto" id="says">${o}</p>`:m} ${Rt(t,0)}
    ${e.token_log_probs.length?At():m}
    <p class="hint">
      Choose a token: the other panels follow. This page was stored and has no model behind it. On the page of
      <code>regard serve MODEL</code>, other tokens can be forced and heads switched off.
    </p>
    ${n?p`<p class="hint" id="note">${n}</p>`:m}
  </section>`}function Oa(){let e=document.querySelector("#data");return e?JSON.parse(e.textContent):null}async function fd(e){let t=Uint8Array.from(atob(e),n=>n.charCodeAt(0));return await new Response(new Blob([t]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer()}function Qn(e){let{text:t,target:n,tokens:o,token_log_probs:s}=e,{spelled:r,offsets:i}=Object.values(o).at(-1).rows,a=n!==null&&r.length>1&&i.at(-1)===null,c=n===null?1:0;return{...gt(),source:t,text:n??t,isDone:!0,tokens:(a?r.slice(0,-1):r).map((u,d)=>({token:u,log_prob:s[d-c]??null,alternatives:[]}))}}async function gd({packed:e,bytes:t,parts:n}){let o=await fd(e),s=t===2?new Uint16Array(o):new Uint8Array(o),r=t===2?65535:255,i=new Map,a=0;for(let{heads:c,rows:u,keys:d}of n)for(let h of c){let f=a+u*d;i.set(h,{rows:u,keys:d,values:s.subarray(a,f),scale:r-1,forbidden:r}),a=f}return i}async function Ca(e){let t=await gd(e),n={...e.inspection,request:{},weights:t},o=Qn(n),{text:s}=n;$n(),Fe({server:{storedPage:{note:e.note,says:e.says}},inspection:{result:n,sentence:o},output:{sentences:[o],sourceText:s},request:{text:s}});let{head:r}=l.view;g({view:{head:t.has(r)?r:e.first,sentenceIndex:0},heads:{disabled:[]}})}var La=[20,50,100,200];async function bd(e,t,n){let o={model:T().name,prompt:e,...t,logprobs:tt,echo:!0},{choices:s,usage:r}=await N("v1/completions",o,n),{text:i,logprobs:a}=s[0];if(!a)throw new Error("The server must send the log-probabilities that were asked for.");let c=a.tokens.map((u,d)=>({token:u.replaceAll(" ","▁"),log_prob:a.token_logprobs[d]??null,alternatives:Object.entries(a.top_logprobs[d]??{}).sort((h,f)=>f[1]-h[1])}));return{text:i,ids:a.token_ids,tokens:c,numGiven:r.prompt_tokens}}function wd({ids:e,numGiven:t},n){let o=e.findIndex((s,r)=>r>=t||s!==n[r]);return o<0?t:o}async function yd(e,t){let{name:n,max_tokens:o}=T(),s=o??1/0;if(!e.trim())return s-1;let{tokens:r}=await N("inspect",{model:n,text:e},t);return s-Object.values(r)[0].keys.spelled.length}async function ws(e=null){let{text:t}=l.request,n=e?.prefix??t,o=e&&(x()?.original??x()??null);await P("translate","Writing",async s=>{let{name:r,max_tokens:i}=T(),{temperature:a,seed:c,maxTokens:u}=l.request,d=Math.min(u,await yd(n,s));if(d<1)throw new Error(`The text has as many tokens as the model can read: ${i}.`);let h={max_tokens:d,temperature:a,seed:c},{text:f,tokens:b,ids:w,numGiven:y}=await bd(n,h,s),v=w.slice(0,i??w.length),S=await rt({model:r,text:f,ids:v},s),R=Qn(S).tokens,L={...gt(),source:n,text:f,ids:v,decoding:h,original:o,edit:e,isDone:!0,numGiven:o?wd(o,v):Math.min(y,v.length),tokens:R.map((le,ce)=>({...le,alternatives:b[ce]?.alternatives??[]}))},q=Math.max(0,Math.min(e?.position??0,R.length-1));g({output:{sentences:[L],sourceText:t,attribution:null,options:{temperature:a,seed:c,maxTokens:u}},view:{sentenceIndex:0,outputPosition:q,hoveredToken:null},search:{trace:null}}),qt(S,L)}),l.heads.disabled.length&&!W()&&await ne()}async function ys(e,t){let n=x().tokens.slice(0,e),o=Q([...n.map(s=>s.token).filter(s=>!_e(s)),t]);U(),await Vn(()=>ws({kind:"prefix",position:e,token:t,prefix:o}))}async function $d(){let{text:e}=l.request;await P("translate","Reading",async t=>{let n=await rt({model:T().name,text:e},t),o=Qn(n),s=n.predicted?.length?await N(`inspect/${n.id}/flow/gradient`,void 0,t):null;g({output:{sentences:[o],sourceText:e,options:null,attribution:s&&{...s,inspection:n}},view:{sentenceIndex:0,outputPosition:0},search:{trace:null}}),qt(n,o)}),l.heads.disabled.length&&!W()&&await ne()}async function eo(){Ae(),U(),await Qt()}async function Qt(){if(A())return await Zi();let e=j(),{outputPosition:t}=l.view,n=T()?.arch==="decoder";await(n?ws():$d());for(let{edit:o}of e?.edits??[])j()===e&&o.kind==="prefix"&&n&&await ws(o);if(e?.ranksHeads&&j()===e&&await ct(),e&&j()===e){Ae();let o=(x()?.tokens.length??1)-1;g({view:{outputPosition:Math.max(0,Math.min(t,o))}})}}function to(){let[e]=T()?.examples??[];e&&!l.request.text&&g({request:{text:e},output:{isExample:!0}})}function Ha(e){let t=T();g({request:{modelName:e},heads:{disabled:[]},view:{head:"",outputPosition:0,inputPosition:null},tokenCounts:{total:null},...l.output.isExample?{request:{modelName:e,text:""},output:{isExample:!1}}:{}}),to(),$s(t),l.request.text.trim()&&eo()}function $s(e){let t=T(),n=e?.arch===t?.arch&&e?.task===t?.task,o=!!e?.direction;(!n||o!==A()||!l.request.text.trim())&&g(...un)}var no=[0,.5,.8,1,1.3],xd=/^und-und(-x-|$)/;function oo(){let{modelName:e}=l.request,{models:t}=l.server;if(t.length<2)return p`<span class="hint">${xd.test(e)?m:e}</span>`;let n=o=>p`<option value=${o} ?selected=${o===e}>${o}</option>`;return p`<select id="model" aria-label="Model" @change=${o=>Ha(C(o))}>
    ${t.map(o=>n(ve(o)))}
  </select>`}function Le(e,t,n,o,s,r=String){let i=[...new Set([...t,n])].sort((c,u)=>c-u),a=c=>p`<option value=${c} ?selected=${c===n}>${r(c)}</option>`;return p`<select id=${e} aria-label=${s} @change=${c=>o(Number(C(c)))}>
    ${i.map(a)}
  </select>`}var so=()=>l.status.busy.translate?p`<button @click=${()=>Re("translate")}>Stop</button>`:m;var kd=[0,1,2,5,10,50],vd=1,xs=e=>g({trial:{sampling:{...l.trial.sampling,...e}}}),Ia=e=>`${(100*e).toFixed(vd)} %`;function Na(e,t,n,o){let s=r=>{let i=Number(C(r));xs(e==="next-temperature"?{temperature:i}:{topP:i})};return p`<label
    >${t}
    <input
      id=${e}
      type="range"
      min=${e==="next-temperature"?0:.05}
      max=${o}
      step="0.05"
      .value=${String(n)}
      aria-valuetext=${n.toFixed(2)}
      @input=${s}
    />
    <span class="number">${n.toFixed(2)}</span></label
  >`}function Td({tokens:e,num_others:t,others:n,others_drawn:o}){let s=(i,a,c)=>p`<tr>
      <td>${i}</td>
      <td class="number">${Ia(a)}</td>
      <td class="number">${Ia(c)}</td>
      <td class="fill">
        <span class="track"><span ${E({width:`${100*c}%`})}></span></span>
      </td>
    </tr>`,r=p`<span class="hint">${t.toLocaleString("en")} others</span>`;return p`<table id="next">
    <thead>
      <tr>
        <th>token</th>
        <th>the model's</th>
        <th>drawn</th>
        <th><span class="unseen">drawn, as a bar</span></th>
      </tr>
    </thead>
    <tbody>
      ${e.map(({token:i,prob:a,drawn:c})=>s(p`<bdi>${$(i)}</bdi>`,a,c))}
      ${t?s(r,n,o):m}
    </tbody>
  </table>`}function Sd(e){let{temperature:t,topK:n,topP:o}=l.trial.sampling,{beamSize:s}=l.request,[r]=e.tokens,i=p`A ${k("beam-search",`beam of ${s}`)} tries no more than the first ${s} after this
  beginning, and goes on with the best of all its beginnings.`,a=e.num_drawable.toLocaleString("en");return p`<p>
      Greedy search takes <bdi class="strong">${$(r?.token??"")}</bdi>.
      ${A()&&s>1?i:m} Sampling draws one of
      <span class="strong number" id="drawable">${a}</span> tokens:
    </p>
    <div class="controls" data-unsaved>
      ${Na("next-temperature","temperature",t,2)}
      <label
        >top k
        ${Le("next-top-k",kd,n,c=>xs({topK:c}),"Top k",c=>c||"all")}</label
      >
      ${Na("next-top-p","top p",o,1)}
    </div>
    ${Td(e)}
    <p class="hint">
      Temperature divides the logits: below 1, the likeliest are drawn more often. Top k draws from the k likeliest
      alone; top p from the likeliest that together have the probability p. Nothing is written by this: “Options” has
      the sampling of the translation.
    </p>`}var Rd=()=>A()?l.view.outputPosition:l.view.outputPosition-1;function ro(){let{sentence:e,result:t,next:n}=l.inspection,o=Rd();if(!J()||!t||!e||e!==x()||o<0)return m;let{isOpen:s}=l.trial.sampling,r=s?xr(o):"",i=s&&n?.cell!==r;return p`<details
    id="next-token"
    ?open=${s}
    @toggle=${a=>xs({isOpen:a.target.open})}
  >
    <summary>How the next token is chosen</summary>
    <div class=${i?"stale":""}>${n&&s?Sd(n.result):m}</div>
  </details>`}var Wa=.6,xe=()=>T()?.arch==="decoder",Ad=({label:e,prob:t})=>p`<div class="change" role="listitem">
    <bdi>${$(e)}</bdi>
    <span class="track"><span ${E({width:`${100*t}%`})}></span></span
    ><span class="number">${(100*t).toFixed(0)} %</span>
  </div>`;function Ed(){let e=l.inspection.result?.predicted,{attribution:t}=l.output;if(!e?.length)return m;let n=T()?.task==="classify"?"the likeliest class":"the chosen token",o=p`<p class="legend">
      <span>${k("moved","moved it")} little ${ee("heat",Wa)} much</span>
    </p>
    <p class="hint">The tokens that moved ${n}: the stronger the colour, the more. ${t?.caveat}</p>`;return p`<div id="predicted" role="list">${e.map(Ad)}</div> ${t?o:m}`}function Pd(){let e=x();if(!e||!l.inspection.result)return m;let{outputPosition:t}=l.view,n=l.output.attribution?.shares,o=n?.length===1?n[0]:n?.[Math.min(t,n.length-1)],s=se(e.text),r=e.tokens.map(c=>c.token),i=re(r,s),a=(c,u)=>{let d=o?.[u]??0,h=p`<button
      class="token"
      dir=${ie(c,i[u])}
      aria-pressed=${t===u}
      data-place=${u}
      data-share=${d.toFixed(3)}
      ${E({background:o?pe("heat",Wa*d):""})}
      @click=${()=>g({view:{outputPosition:u}})}
      >${$(c)}</button
    >`;return{space:m,box:h}};return p`<p class="output" id="moved" dir=${s}>${Xt(r.map(a),i,s)}</p>`}function Md(){let{text:e,maxTokens:t,temperature:n}=l.request,o=Le("length",La,t,i=>g({request:{maxTokens:i}}),"Tokens"),s=Le("temperature",no,n,i=>g({request:{temperature:i}}),"Temperature"),r=p`<label>Tokens ${o}</label> <label>Temperature ${s}</label>`;return p`<div class="controls">
    <button class="primary" @click=${()=>void eo()} ?disabled=${!e.trim()&&!xe()}
      >${xe()?"Continue":"Read"}</button
    >
    ${so()} ${xe()?r:m}
  </div>`}function _d(e){let t=["#output","#doubts",".alternatives"];if(xe())return _("continuation",t,Et,()=>l.output.sentences);let n=l.inspection.result?.predicted??[],o=()=>[["label","probability"],...n.map(({label:r,prob:i})=>[r,i])],s=e.tokens.map(r=>r.token);return _("predicted",t,o,()=>({predicted:l.inspection.result?.predicted,tokens:s,moved:l.output.attribution?.shares}))}function Od(e){return xe()?e?Rt(e,0):p`<p class="hint">
    The text with its continuation appears here. The stronger a token is coloured, the less the model expected it.
  </p>`:p`${Ed()} ${Pd()}`}function Da(){let e=x(),t=xe()&&e!==void 0,n=!!l.status.busy.translate,o=s=>{Un(s)&&eo()};return p`<section class="panel named" aria-label="Text, and what the model makes of it">
    <div class="columns">
      <div>
        <div class="head">
          <h2>Text</h2>
          ${oo()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="4"
          spellcheck="false"
          aria-label=${xe()?"Text to continue":"Text to read"}
          placeholder=${xe()?"Write how it begins.":"Write or paste a text."}
          .value=${l.request.text}
          @input=${s=>g({request:{text:C(s)}})}
          @keydown=${o}
        ></textarea>
        ${Md()}
      </div>
      <div>
        <div class="head">
          <h2>${xe()?"Continuation":"What the model says"}</h2>
          ${e?.isDone&&l.inspection.result?_d(e):m}
        </div>
        <div class=${F()||n?"stale":""} aria-busy=${n}>
          <div id="output" aria-live="polite">${Od(e)}</div>
          ${t?p`${At()} ${zn(ys)} ${ro()}`:m}
        </div>
        ${t?Xn(ys):m}
      </div>
    </div>
  </section>`}var Ba=async()=>{l.heads.disabled.length&&await ge([])},io=[{title:"Token by token",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:0,head:fe(),showsComputation:!1}}),await Ba()},text:"A model writes one token at a time. Each token is coloured by how unsure the model was of it. Click one: below, you see the likeliest tokens in its place, with their probabilities."},{title:"What a row is",panel:".matrix",target:".frame",prepare:async()=>{g({view:{inputPosition:null}}),await oe(fe())},text:"Before it writes a token, the model looks back at the text. A row of the matrix belongs to the place that is about to write one token, and has read those before it; its cells say how that look is divided among the tokens of the text. A row sums to 1."},{title:"What a head is",panel:".heads",target:"#heads",prepare:()=>g({heads:{sortBy:"place"}}),text:"Every layer has several heads, and each looks in its own way. Some look at the token before, some at the word that is being translated, some at nothing in particular. Each small picture is the matrix of one head. Click some."},{title:"How one weight is computed",panel:".computed",target:"#softmax",prepare:async()=>{g({view:{showsComputation:!0,groupsWords:!1}}),await Hd(()=>l.inspection.lookup!==null&&!Wt("lookup"))},text:"The place that is about to write has a query, and each token that it may look at has a key: two lists of numbers. They are multiplied and added up, which gives a score. Softmax turns the scores of a row into weights that sum to 1. Below the table: the head takes the values of those tokens by these weights."},{title:"A weight is not a cause",panel:".matrix",target:".frame",prepare:()=>g({view:{showsComputation:!1,head:fe()}}),text:"A weight says where a head looks. It does not say that the look matters: later layers may ignore it. To know what the translation depends on, take something away and see what changes."},{title:"Taking a head away",panel:".without",target:".changes",prepare:()=>ge([fe()]),text:"One head is off now. The bars show how much less likely each token of the translation becomes without it. Above them is what the model writes then. Often that is nearly the same: heads can stand in for each other."},{title:"Forcing a word",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:Math.min(1,(x()?.tokens.length??1)-1)}}),await Ba()},text:"Click another token in the list below the translation. It is written there, and the model decodes the rest again. See how far one word changes what follows, and what it does not change."},{title:"The search",panel:".search",target:".scroll",prepare:Pe,text:"A model does not simply take the likeliest token. Beam search keeps several beginnings at once, and drops those that fall behind. The way that won is in the top row. The tour ends here; the rest is yours to try."}],Cd=5e3,Ld=20;async function Hd(e){let t=performance.now()+Cd;for(;!e()&&!l.status.error&&performance.now()<t;)await new Promise(n=>setTimeout(n,Ld))}function Id(){let{disabled:e,undoStack:t,sortBy:n}=l.heads,{sentences:o,sourceText:s}=l.output;return{view:{...l.view},heads:{disabled:e,undoStack:t,sortBy:n},search:{...l.search},output:{sentences:o,sourceText:s},scrollTop:scrollY}}var vs=null;async function Fa(){let e=T()?.examples?.[0],t=l.request.text.trim()!=="";if(!t&&!e)return g({status:{notice:"Write a text first: this model has no examples."}}),document.querySelector("#text")?.focus();(!(x()?.isDone&&l.output.sourceText!==""&&!F())||!l.inspection.result||W())&&(t||(U(),g({request:{text:e}})),await Xe(),!x()?.isDone)||(vs=Id(),await Ts(0))}async function ks(){document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.remove("touring");let{view:e,heads:t,search:n,output:o,scrollTop:s}=vs,r=o.sourceText===l.output.sourceText,i=l.inspection.sentence===(o.sentences[e.sentenceIndex]??null);vs=null;let{isPlaying:a}=l.view,{showsComputation:c,groupsWords:u}=e;r?g({heads:t,search:n,output:o,view:{...e,tourStop:null,isPlaying:a,hoveredToken:null}}):g({heads:t,view:{tourStop:null,showsComputation:c,groupsWords:u}}),document.querySelector("#tour")?.focus({preventScroll:!0}),r&&!i?await V():await ne(),r&&e.head.startsWith(I)&&await oe(e.head),at(()=>scrollTo({top:s}))}async function Ts(e){let t=io[e];document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.add("touring"),g({view:{tourStop:e}}),await t.prepare(),at(()=>{if(l.view.tourStop!==e)return;let n=document.querySelector(t.panel);n?.classList.add("toured"),document.querySelector("#tour-next")?.focus({preventScroll:!0}),Wd(n?.querySelector(t.target)??document.querySelector(t.target)??n)})}var Nd=12;function Wd(e){let t=document.querySelector(".tour");if(!e||!t)return;document.documentElement.style.setProperty("--bar",`${t.offsetHeight}px`);let{top:n,height:o}=e.getBoundingClientRect(),s=innerHeight-t.offsetHeight;scrollTo({top:Math.max(0,scrollY+n-Math.max(Nd,(s-o)/2)),behavior:Xo()})}function qa(){let e=l.view.tourStop,t=e===null?void 0:io[e];if(e===null||!t||!A())return m;let n=e===io.length-1,o=r=>{r.key==="Escape"&&ks()},s=p`<button id="tour-back" @click=${()=>void Ts(e-1)}>Back</button>`;return p`<div class="tour" role="dialog" aria-labelledby="tour-title" @keydown=${o}>
    <div class="says" tabindex="0" role="group" aria-label="What this stop shows">
      <h2 id="tour-title">${e+1} of ${io.length}: ${t.title}</h2>
      <p>${t.text}</p>
    </div>
    <div class="controls">
      <button id="tour-end" @click=${()=>void ks()}>End</button>
      <span>
        ${e?s:m}
        <button id="tour-next" class="primary" @click=${()=>void(n?ks():Ts(e+1))}
          >${n?"Done":"Next"}</button
        >
      </span>
    </div>
  </div>`}var Ga=50,Dd=400;async function ja(e){await P("file",`Translating ${e.name}`,async t=>{let n=await e.text(),o=/\.html?$/i.test(e.name),s=o?[n]:n.split(`
`),r=[];for(let u=0;u<s.length;u+=Ga){let d=s.slice(u,u+Ga),h={...Y(),...nt(),texts:d,format:o?"html":"text"},{translations:f}=await N("translate",h,t);f.forEach((b,w)=>{let y=u+w+1;if("error"in b)throw new G(Dd,`Line ${y} of ${e.name}: ${b.error.message}`);r.push(b.text)}),it("file",`Translating ${e.name}: ${r.length} of ${s.length} lines`)}let[,i,a]=/^(.*?)(\.[^.]*)?$/.exec(e.name),c=`${i}.${T()?.target??"translated"}${a??".txt"}`;Ue(c,r.join(`
`),o?"text/html":"text/plain")})}var Bd=300,Fd=[1,2,3,5,8,12],Ka=/<\/?[a-z][^>]*>/i,Ua=0;function qd(e){let t=C(e);g({request:{text:t,isHtml:l.request.isHtml&&Ka.test(t)},output:{isExample:!1}}),clearTimeout(Ua),Ua=window.setTimeout(()=>{l.request.text===t&&(mt(),l.request.translatesWhileTyping&&Xe())},Bd)}function ao(e){g({request:e}),Xe()}function Xa(){U(),Xe()}function Gd(e,t){let{text:n,score:o}=e,s=p`<span class="number">${o.toFixed(3)}</span>`;if(!n)return p`<li><span class="hint">nothing</span> ${s}</li>`;let{compared:r}=l.output,i=r!==null&&En(e,r),a=()=>{U(),Tt(e)},c=p`<button
    class="compare"
    aria-pressed=${i}
    @click=${()=>void Yt(e)}
    >compare</button
  >`;return p`<li>
    <button class="link" aria-pressed=${n===t.text} @click=${a}><bdi>${n}</bdi></button>
    ${s} ${n===t.text?m:c}
  </li>`}var Va=!1;function jd(){let e=x();if(!e?.isDone)return m;let{nBest:t}=e,n=t.filter(({text:r},i)=>t.findIndex(a=>a.text===r)===i);if(n.length<2)return m;let o=n.length-1;return p`<details class="nbest" ?open=${Va} @toggle=${r=>{Va=r.target.open}}>
    <summary>${o} other ${o===1?"translation":"translations"}</summary>
    <p class="hint">${k("best","The best translations")}, best first:</p>
    <ol>
      ${n.map(r=>Gd(r,e))}
    </ol>
  </details>`}function Ud(){let e=x(),{compared:t}=l.output;if(!e?.isDone||!t)return m;let n=({tokens:a})=>a.reduce((c,u)=>c+(u.log_prob??0),0).toFixed(2),o=t.tokens.map(a=>a.token),s=se(t.text),r=re(o,s),i=t.tokens.map(({token:a,log_prob:c},u)=>({space:ms(a,u),box:p`<span
      class="token ${bt(o,u)}"
      dir=${ie(a,r[u])}
      title=${St(c)}
      ${E(hs(c))}
      >${$(a)}</span
    >`}));return p`<div id="compared">
    <p class="hint">
      Beside it, with a log-probability of <span class="strong number">${n(t)}</span> in place of
      <span class="strong number">${n(e)}</span> (without &lt;/s&gt;). Marked words are not in the one above.
    </p>
    <p class="output" dir=${s}>${Fn(i,o,r,s)}</p>
    <p dir="auto">${je(t.text,e.text)}</p>
  </div>`}function Vd(){return p`<label class="file"
    >Translate a file <input id="file" type="file" accept=".txt,.html,.htm,text/plain,text/html" @change=${t=>{let n=t.target,o=n.files?.[0];o&&ja(o),n.value=""}}
  /></label>`}function Kd(){let{total:e,longestSentence:t,sentenceLimit:n,truncatedSentences:o}=l.tokenCounts;if(e===null)return m;let s=o===1?"1 sentence is":`${o} sentences are`;return p`<span id="count" class="hint ${o?"warning":""}"
    >${e} ${k("tokens","tokens")}${o?`; ${s} cut`:""}; a sentence may have
    ${n}, the longest has ${t}</span
  >`}function Xd(){let{text:e,temperature:t,seed:n,isHtml:o}=l.request,s=p`<button id="again" @click=${()=>ao({seed:n+1})}>Draw again</button>`,r=p`<label
    ><input
      id="html"
      type="checkbox"
      .checked=${o}
      @change=${i=>ao({isHtml:we(i)})}
    />
    as HTML</label
  >`;return p`${t&&e.trim()?s:m} ${Ka.test(e)?r:m}`}function zd(){let{text:e,translatesWhileTyping:t,beamSize:n,temperature:o}=l.request,s=Le("beam",Fd,n,i=>ao({beamSize:i,temperature:0}),"Beam"),r=Le("temperature",no,o,i=>ao({temperature:i}),"Sampling",i=>i||"off");return p`<div class="controls">
    <button class="primary" @click=${Xa} ?disabled=${!e.trim()}>Translate</button>
    ${so()} ${Xd()}
    <details class="options">
      <summary>Options</summary>
      <div class="controls">
        <label
          ><input
            type="checkbox"
            .checked=${t}
            @change=${i=>g({request:{translatesWhileTyping:we(i)}})}
          />
          while typing</label
        >
        <span class="together">${k("beam","Beam")} ${s}</span>
        <span class="together">${k("sampling","Sampling")} ${r}</span>
        ${Vd()} ${Kd()}
      </div>
    </details>
  </div>`}function Jd(){let e=T()?.examples??[];if(!(l.output.isExample||!l.request.text)||!e.length)return m;let n=r=>{U(),g({request:{text:r},output:{isExample:!1}}),mt(),Xe()},o=e.some(r=>r!==l.request.text),s=o?"An example. Write over it, or take another:":"An example. Write over it.";return p`<p class="hint">
    ${l.output.isExample?s:o?"For example:":m}
    ${e.map((r,i)=>r===l.request.text?m:p`<button class="link" title=${r} @click=${()=>n(r)}
        ><span class="whole">${r}</span><span class="short" aria-hidden="true">${i+1}</span></button
      > `)}
  </p>`}function Yd(){let{html:e,sentences:t}=l.output;return e?p`<pre class="html">${e}</pre>`:t.length?t.map(Rt):p`<p class="hint">
    The translation appears here, token by token. The stronger a token is coloured, the less sure the model was of it.
  </p>`}function Zd(){let{html:e,sentences:t}=l.output,n=e!==""||t.length>0&&t.every(i=>i.isDone),o=()=>e||t.map(({separator:i,text:a})=>`${i??""}${a}`).join(""),s=()=>_("translation",["#output","#doubts",".alternatives"],Et,()=>t),r=p`<button id="copy" @click=${()=>void kn(o())}
    >${l.status.notice===Po?"Copied":"Copy"}</button
  >`;return p`${n?r:m} ${t.some(i=>i.isDone)?s():m}`}function Qd(){let{sentences:e}=l.output,t=!!l.status.busy.translate,n=F()||t&&l.output.isEarlier,o=p`<p class="hint" id="other-text">
    This is the translation of another text than the one that stands there now.
  </p>`;return p`<div>
    <div class="head">
      <h2>Translation</h2>
      ${Zd()}
    </div>
    <div class=${n?"stale":""} aria-busy=${t}>
      <div id="output" aria-live="polite">${Yd()}</div>
      ${F()&&!t?o:m} ${e.length?At():m}
      ${zn(ps)} ${ro()} ${jd()} ${Ud()}
    </div>
    ${Xn(ps)}
  </div>`}function za(){let e=t=>{Un(t)&&Xa()};return p`<section class="panel translate" aria-label="Text and translation">
    <div class="columns">
      <div>
        <div class="head source">
          <h2 id="translate-title">Text</h2>
          ${oo()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="2"
          class=${l.output.isExample?"example":""}
          spellcheck="false"
          aria-label="Text to translate"
          placeholder="Write or paste a text."
          .value=${l.request.text}
          @focus=${t=>{l.output.isExample&&t.target.select()}}
          @input=${qd}
          @change=${dr}
          @keydown=${e}
        ></textarea>
        ${zd()} ${Jd()}
      </div>
      ${Qd()}
    </div>
  </section>`}var Za="regard-theme";function eh(){let e=document.documentElement,t=matchMedia("(prefers-color-scheme: dark)").matches,o=(e.dataset.theme??(t?"dark":"light"))==="dark"?"light":"dark";e.dataset.theme=o;try{localStorage.setItem(Za,o)}catch{}g({})}function th(){return p`<form class="key" @submit=${t=>{t.preventDefault(),js(document.querySelector("#key").value),Ss()}}>
    <label>Key <input id="key" type="password" autocomplete="off" /></label> <button>Use it</button>
  </form>`}function nh(){let e=()=>p`${Ri()} ${Ei()}
      <div class="column">${zi()} ${Qr()}</div>
      <div class="stacked">${xa()} ${Ii()}</div> ${fa()} ${Wi()}
      ${Bi()} ${Ma()}`;return l.server.storedPage?p`${_a()}${e()}`:l.server.models.length?A()?p`${za()}${e()}${Pa()}`:p`${Da()}${l.inspection.result?e():m}`:m}var oh=[["#text","Text"],["#output","Translation"],[".alignment","Attention"],[".heads","Heads"],[".without","Without"],[".search","Search"]];function sh(){let e=t=>{let n=document.querySelector(t);n&&t!=="#text"&&(n.tabIndex=-1),n?.focus(),n?.scrollIntoView({block:"start"})};return p`<nav class="skips" aria-label="Go to a part of the page">
    ${oh.map(([t,n])=>p`<button class=${t==="#output"?"desk":""} @click=${()=>e(t)}>${n}</button>`)}
  </nav>`}function rh(){return l.server.storedPage?"What the heads look at":A()||!l.server.models.length?"Translate, and look inside while it happens.":"See what a model does with a text."}function ih(){return location.protocol.startsWith("http")&&(x()||l.output.html)?p`<button
    id="share-link"
    title="Copy a link to exactly what is shown: the text, options, head, and words that you wrote"
    @click=${()=>void kn(rr(),xn)}
    >${l.status.notice===xn?"Copied":"Share"}</button
  >`:m}function ah(){let e=Object.values(l.status.busy).at(-1),t=p`<button id="tour" @click=${()=>void Fa()}>Explain</button>`;return p`<header>
    <h1>Regard</h1>
    <p class="hint">${rh()}</p>
    <span class="said" role="status">${l.status.notice}</span
    ><span class="status" role="status">${e?p`<span class="spinner"></span>${e} …`:m}</span>
    ${A()?t:m} ${ih()}
    ${l.server.storedPage?m:p`<a href="docs">API</a>`}
    <button class="theme" @click=${eh} aria-label="Light or dark">◐</button>
  </header>`}function lh(){let{error:e,needsApiKey:t}=l.status;if(!e)return m;let n=p`<button @click=${()=>void To()}>Try again</button>`;return p`<p class="error" role="alert">${e} ${t?m:n}</p>`}function ch(){return p`${sh()} ${ah()} ${lh()}
    <main>${l.status.needsApiKey?th():m} ${nh()}</main>
    ${qa()}`}function Ye(){lr();let e=document.querySelector("#page");e.classList.toggle("busy",Object.keys(l.status.busy).length>0),Ws(ch(),e)}async function Ss(){await Tr(),Qa(),to(),l.request.text&&l.server.models.length&&(mt(),await Qt())}async function uh(){if(!l.server.models.length||l.status.needsApiKey)return await Ss();(F()||!x()||l.output.sentences.some(t=>!t.isDone))&&!(l.output.html&&!F())?l.request.text.trim()&&(mt(),await Qt()):W()||!l.inspection.result?await V():l.heads.disabled.length&&l.heads.ablatedSentence!==l.inspection.sentence?await ne():g({})}function ph(){let e=null;try{e=window.frameElement}catch{}if(!e)return;let{style:t}=e,n=()=>{t.height=`${document.documentElement.offsetHeight+4}px`};new ResizeObserver(n).observe(document.documentElement)}function dh(){try{return localStorage.getItem(Za)}catch{return null}}function hh(){let{dataset:e}=document.documentElement,t;addEventListener("beforeprint",()=>{t=e.theme,e.theme="light",Ye()}),addEventListener("afterprint",()=>{t===void 0?delete e.theme:e.theme=t,Ye()})}var Qa=()=>{document.body.dataset.ready="yes"};function mh(){if(mr())return;let e=T(),t=Eo();g(t,j()?.tracesSearch?{}:{search:{trace:null,candidate:null}}),g({output:{isExample:!1}}),to(),$s(e),Qt()}var Ja=dh();Ja&&(document.documentElement.dataset.theme=Ja);yo(Ye);yo(hr);addEventListener("resize",Ye);hh();matchMedia("(prefers-color-scheme: dark)").addEventListener("change",Ye);Object.assign(globalThis,{regard:{state:l,matrixLayout:Ti,unmatchedWords:cr}});var Ya=Oa();Ya?(ph(),Ca(Ya).then(()=>{Ye(),Qa()})):($n(),Lo(),Js(uh),addEventListener("hashchange",mh),Ye(),Ss());})();
