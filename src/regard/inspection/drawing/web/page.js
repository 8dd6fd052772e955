"use strict";(()=>{var $n=globalThis,Tt=$n.trustedTypes,yo=Tt?Tt.createPolicy("lit-html",{createHTML:e=>e}):void 0,vn="$lit$",te=`lit$${Math.random().toFixed(9).slice(2)}$`,xn="?"+te,li=`<${xn}>`,me=document,it=()=>me.createComment(""),at=e=>e===null||typeof e!="object"&&typeof e!="function",kn=Array.isArray,To=e=>kn(e)||typeof e?.[Symbol.iterator]=="function",wn=`[ 	
\f\r]`,rt=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,wo=/-->/g,$o=/>/g,pe=RegExp(`>|${wn}(?:([^\\s"'>=/]+)(${wn}*=${wn}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),vo=/'/g,xo=/"/g,So=/^(?:script|style|textarea|title)$/i,Tn=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),d=Tn(1),F=Tn(2),bu=Tn(3),lt=Symbol.for("lit-noChange"),m=Symbol.for("lit-nothing"),ko=new WeakMap,he=me.createTreeWalker(me,129);function Ao(e,t){if(!kn(e)||!e.hasOwnProperty("raw"))throw Error("invalid template strings array");return yo!==void 0?yo.createHTML(t):t}var Ro=(e,t)=>{let n=e.length-1,o=[],s,r=t===2?"<svg>":t===3?"<math>":"",i=rt;for(let l=0;l<n;l++){let c=e[l],u,p,h=-1,f=0;for(;f<c.length&&(i.lastIndex=f,p=i.exec(c),p!==null);)f=i.lastIndex,i===rt?p[1]==="!--"?i=wo:p[1]!==void 0?i=$o:p[2]!==void 0?(So.test(p[2])&&(s=RegExp("</"+p[2],"g")),i=pe):p[3]!==void 0&&(i=pe):i===pe?p[0]===">"?(i=s??rt,h=-1):p[1]===void 0?h=-2:(h=i.lastIndex-p[2].length,u=p[1],i=p[3]===void 0?pe:p[3]==='"'?xo:vo):i===xo||i===vo?i=pe:i===wo||i===$o?i=rt:(i=pe,s=void 0);let b=i===pe&&e[l+1].startsWith("/>")?" ":"";r+=i===rt?c+li:h>=0?(o.push(u),c.slice(0,h)+vn+c.slice(h)+te+b):c+te+(h===-2?l:b)}return[Ao(e,r+(e[n]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),o]},ct=class e{constructor({strings:t,_$litType$:n},o){let s;this.parts=[];let r=0,i=0,l=t.length-1,c=this.parts,[u,p]=Ro(t,n);if(this.el=e.createElement(u,o),he.currentNode=this.el.content,n===2||n===3){let h=this.el.content.firstChild;h.replaceWith(...h.childNodes)}for(;(s=he.nextNode())!==null&&c.length<l;){if(s.nodeType===1){if(s.hasAttributes())for(let h of s.getAttributeNames())if(h.endsWith(vn)){let f=p[i++],b=s.getAttribute(h).split(te),y=/([.?@])?(.*)/.exec(f);c.push({type:1,index:r,name:y[2],strings:b,ctor:y[1]==="."?At:y[1]==="?"?Rt:y[1]==="@"?Et:ge}),s.removeAttribute(h)}else h.startsWith(te)&&(c.push({type:6,index:r}),s.removeAttribute(h));if(So.test(s.tagName)){let h=s.textContent.split(te),f=h.length-1;if(f>0){s.textContent=Tt?Tt.emptyScript:"";for(let b=0;b<f;b++)s.append(h[b],it()),he.nextNode(),c.push({type:2,index:++r});s.append(h[f],it())}}}else if(s.nodeType===8)if(s.data===xn)c.push({type:2,index:r});else{let h=-1;for(;(h=s.data.indexOf(te,h+1))!==-1;)c.push({type:7,index:r}),h+=te.length-1}r++}}static createElement(t,n){let o=me.createElement("template");return o.innerHTML=t,o}};function fe(e,t,n=e,o){if(t===lt)return t;let s=o!==void 0?n._$Co?.[o]:n._$Cl,r=at(t)?void 0:t._$litDirective$;return s?.constructor!==r&&(s?._$AO?.(!1),r===void 0?s=void 0:(s=new r(e),s._$AT(e,n,o)),o!==void 0?(n._$Co??=[])[o]=s:n._$Cl=s),s!==void 0&&(t=fe(e,s._$AS(e,t.values),s,o)),t}var St=class{constructor(t,n){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:n},parts:o}=this._$AD,s=(t?.creationScope??me).importNode(n,!0);he.currentNode=s;let r=he.nextNode(),i=0,l=0,c=o[0];for(;c!==void 0;){if(i===c.index){let u;c.type===2?u=new Me(r,r.nextSibling,this,t):c.type===1?u=new c.ctor(r,c.name,c.strings,this,t):c.type===6&&(u=new Pt(r,this,t)),this._$AV.push(u),c=o[++l]}i!==c?.index&&(r=he.nextNode(),i++)}return he.currentNode=me,s}p(t){let n=0;for(let o of this._$AV)o!==void 0&&(o.strings!==void 0?(o._$AI(t,o,n),n+=o.strings.length-2):o._$AI(t[n])),n++}},Me=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,n,o,s){this.type=2,this._$AH=m,this._$AN=void 0,this._$AA=t,this._$AB=n,this._$AM=o,this.options=s,this._$Cv=s?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,n=this._$AM;return n!==void 0&&t?.nodeType===11&&(t=n.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,n=this){t=fe(this,t,n),at(t)?t===m||t==null||t===""?(this._$AH!==m&&this._$AR(),this._$AH=m):t!==this._$AH&&t!==lt&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):To(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==m&&at(this._$AH)?this._$AA.nextSibling.data=t:this.T(me.createTextNode(t)),this._$AH=t}$(t){let{values:n,_$litType$:o}=t,s=typeof o=="number"?this._$AC(t):(o.el===void 0&&(o.el=ct.createElement(Ao(o.h,o.h[0]),this.options)),o);if(this._$AH?._$AD===s)this._$AH.p(n);else{let r=new St(s,this),i=r.u(this.options);r.p(n),this.T(i),this._$AH=r}}_$AC(t){let n=ko.get(t.strings);return n===void 0&&ko.set(t.strings,n=new ct(t)),n}k(t){kn(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,o,s=0;for(let r of t)s===n.length?n.push(o=new e(this.O(it()),this.O(it()),this,this.options)):o=n[s],o._$AI(r),s++;s<n.length&&(this._$AR(o&&o._$AB.nextSibling,s),n.length=s)}_$AR(t=this._$AA.nextSibling,n){for(this._$AP?.(!1,!0,n);t!==this._$AB;){let o=t.nextSibling;t.remove(),t=o}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},ge=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,n,o,s,r){this.type=1,this._$AH=m,this._$AN=void 0,this.element=t,this.name=n,this._$AM=s,this.options=r,o.length>2||o[0]!==""||o[1]!==""?(this._$AH=Array(o.length-1).fill(new String),this.strings=o):this._$AH=m}_$AI(t,n=this,o,s){let r=this.strings,i=!1;if(r===void 0)t=fe(this,t,n,0),i=!at(t)||t!==this._$AH&&t!==lt,i&&(this._$AH=t);else{let l=t,c,u;for(t=r[0],c=0;c<r.length-1;c++)u=fe(this,l[o+c],n,c),u===lt&&(u=this._$AH[c]),i||=!at(u)||u!==this._$AH[c],u===m?t=m:t!==m&&(t+=(u??"")+r[c+1]),this._$AH[c]=u}i&&!s&&this.j(t)}j(t){t===m?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},At=class extends ge{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===m?void 0:t}},Rt=class extends ge{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==m)}},Et=class extends ge{constructor(t,n,o,s,r){super(t,n,o,s,r),this.type=5}_$AI(t,n=this){if((t=fe(this,t,n,0)??m)===lt)return;let o=this._$AH,s=t===m&&o!==m||t.capture!==o.capture||t.once!==o.once||t.passive!==o.passive,r=t!==m&&(o===m||s);s&&this.element.removeEventListener(this.name,this,o),r&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},Pt=class{constructor(t,n,o){this.element=t,this.type=6,this._$AN=void 0,this._$AM=n,this.options=o}get _$AU(){return this._$AM._$AU}_$AI(t){fe(this,t)}},Eo={M:vn,P:te,A:xn,C:1,L:Ro,R:St,D:To,V:fe,I:Me,H:ge,N:Rt,U:Et,B:At,F:Pt},ci=$n.litHtmlPolyfillSupport;ci?.(ct,Me),($n.litHtmlVersions??=[]).push("3.3.1");var Po=(e,t,n)=>{let o=n?.renderBefore??t,s=o._$litPart$;if(s===void 0){let r=n?.renderBefore??null;o._$litPart$=s=new Me(t.insertBefore(it(),r),r,void 0,n??{})}return s._$AI(e),s};var An=()=>({server:{models:[],storedPage:null},request:{modelName:"",text:"",isHtml:!1,beamSize:5,temperature:0,seed:0,maxTokens:50,translatesWhileTyping:!0},tokenCounts:{total:null,longestSentence:0,sentenceLimit:0,truncatedSentences:0},output:{sourceText:"",sentences:[],html:"",compared:null,isExample:!1,attribution:null},view:{sentenceIndex:0,outputPosition:0,inputPosition:null,keyPosition:null,head:"",rowShare:.9,groupsWords:!1,hidesOtherRows:!1,showsComputation:!1,isPlaying:!1,tourStop:null,hoveredToken:null},inspection:{result:null,sentence:null,flow:null,lookup:null,writes:null,stream:null,snapshot:null},heads:{disabled:[],undoStack:[],sortBy:"place",importance:null,importanceByToken:{},ablation:null,ablatedSentence:null},search:{trace:null,candidate:null},status:{busy:{},error:"",needsApiKey:!1,notice:""}}),a=An(),Rn={output:{compared:null,attribution:null},inspection:{result:null,sentence:null,flow:null,lookup:null,writes:null,stream:null,snapshot:null},heads:{ablation:null,ablatedSentence:null,importance:null},search:{trace:null,candidate:null},view:{hoveredToken:null}},Mt=[{output:{sentences:[],sourceText:"",html:""}},Rn],Mo=[],Sn=!1;function En(e){Mo.push(e)}function be(e){for(let[t,n]of Object.entries(e))Object.assign(a[t],n)}function g(...e){e.forEach(be),!Sn&&(Sn=!0,requestAnimationFrame(()=>{Sn=!1;for(let t of Mo)t()}))}var O="flow.",Q="mean.",re=["rollout","gradient","integrated-gradients"],_e=e=>e.direction??e.name??"",T=()=>a.server.models.find(e=>_e(e)===a.request.modelName),$=()=>a.output.sentences[a.view.sentenceIndex],k=()=>!a.server.storedPage&&T()?.direction!==void 0,ye=()=>k()||!a.server.storedPage&&T()?.arch==="decoder";function z(){let e=T();return!a.server.storedPage&&a.inspection.snapshot===null&&e!==void 0&&e.arch!=="rnn"}var q=()=>a.output.sourceText!==""&&a.output.sourceText!==a.request.text,R=()=>a.inspection.result!==null&&a.inspection.sentence!==($()??null);function we(e=a.inspection.sentence){let t=(e?.tokens??[]).map(n=>n.token);return k()?[...t,"end"]:t.slice(1)}var Pn=e=>e!=="encoder"||a.inspection.result?.target===null;var M=e=>e.split(".").slice(0,2).join("."),Mn=()=>a.inspection.result?[...a.inspection.result.weights.keys()]:[],_o=(e,t)=>e[(t+e.length)%e.length];function Ce(e){let t=Mn(),n=_o(t,t.indexOf(a.view.head)+e);n&&g({view:{head:n}})}function Oe(e){let t=[...new Set(Mn().map(M))],n=_o(t,t.indexOf(M(a.view.head))+e),o=Mn().find(s=>M(s)===n);o&&g({view:{head:o}})}function _t(){let e=a.inspection.result?.alignment;if(!e)return;let t=e.split(".").length===3;return{head:t?e:`${Q}${e}`,isOfModel:t}}function ne(){let e=_t();if(e?.isOfModel)return e.head;let t=a.inspection.result?.heads??[],n=t.filter(i=>i.head.startsWith("cross.")),o=n.length?n:t,s=o.filter(i=>i.label!=="sink"),[r]=[...s.length?s:o].sort((i,l)=>l.confidence-i.confidence);return r?.head??"mean"}var ui={"previous token":"mostly the token before","next token":"mostly the next token",diagonal:"mostly in step, from first to last","same token":"mostly the same token",sink:"mostly one symbol",alignment:"mostly the words that it translates",positional:"mostly at one distance"};function Ct(e){let[t,n]=e.split(".");return`${a.inspection.result?.target!=null&&t==="encoder"?"Encoder layer":"Layer"} ${Number(n)+1}`}var _n=e=>`${Ct(M(e))}, head ${Number(e.split(".")[2])+1}`;function Ot(e){let n=e.startsWith("decoder.")&&a.inspection.result?.target!=null?"what is written":"the text",o=ui[a.inspection.result?.heads.find(s=>s.head===e)?.label??""];return`${_n(e)}: reads ${n}${o?`, ${o}`:""}`}var He=5;function j(){let e=T();return e?e.direction?{source:e.source,target:e.target}:{model:e.name}:{}}var Le=()=>a.request.temperature?{method:"sample",temperature:a.request.temperature,seed:a.request.seed}:{beam_size:a.request.beamSize},Ie=e=>k()?{...j(),text:e.source,target_ids:e.ids}:{model:T().name,text:e.text,...e.ids.length?{ids:e.ids}:{}},Ht=({decoding:e,prefix:t,index:n})=>({...e,...t?{prefix:t}:{},index:n});var U=class extends Error{constructor(n,o){super(o);this.status=n}},Lt=0,di=410,Co="regard-key",pi=255;async function Oo(){try{return(await fetch("health")).ok}catch{return!1}}var Ho=e=>sessionStorage.setItem(Co,e);function hi(e){let t=sessionStorage.getItem(Co);return{...t?{Authorization:`Bearer ${t}`}:{},...e===void 0?{}:{"Content-Type":"application/json"}}}async function Cn(e,t,n){let o={method:t===void 0?"GET":"POST",headers:hi(t),signal:n??null,body:t===void 0?null:JSON.stringify(t)},s;try{s=await fetch(e.startsWith("v1/")?e:`api/v1/${e}`,o)}catch(r){throw n?.aborted?r:new U(Lt,"The server does not answer. Is it still running?")}if(!s.ok){let r=await s.json().catch(()=>({}));throw new U(s.status,r.error?.message??`The server answered ${s.status}.`)}return s}async function _(e,t,n){return await(await Cn(e,t,n)).json()}async function*Lo(e,t){let o=(await Cn("stream",e,t)).body.pipeThrough(new TextDecoderStream).getReader(),s="";for(;;){let{value:r,done:i}=await o.read().catch(c=>{throw t.aborted?c:new U(Lt,"The server went away while it was answering. Is it still running?")});if(i)return;let l=(s+r).split(`

`);s=l.pop()??"";for(let c of l){let[u,p]=c.split(`
`);yield{name:u.slice(7),data:JSON.parse(p.slice(6))}}}}async function It(e,t,n){try{return await _(`inspect/${e.id}/${t}`,void 0,n)}catch(o){if(!(o instanceof U)||o.status!==di)throw o;return e.id=(await _("inspect",e.request,n)).id,await _(`inspect/${e.id}/${t}`,void 0,n)}}async function mi(e,t,n){let o=await Cn(`inspect/${e}/attention/${t}`,void 0,n),{headers:s}=o,r=new Uint8Array(await o.arrayBuffer()),[,i,l]=s.get("X-Shape").split(",").map(Number),c=Number(s.get("X-Scale"));return s.get("X-Heads").split(",").map((p,h)=>{let f=r.subarray(h*i*l,(h+1)*i*l);return[p,{rows:i,keys:l,values:f,scale:c,forbidden:pi}]})}async function Ne(e,t){let n=await _("inspect",{...e,lens:!0},t),o=Object.keys(n.tokens),s=await Promise.all(o.map(r=>mi(n.id,r,t)));return{...n,request:e,weights:new Map(s.flat())}}var fi=403,gi=2e3,bi=4e3,$e=new Map;async function E(e,t,n){$e.get(e)?.abort();let o=new AbortController;$e.set(e,o),e==="translate"&&wi(),t&&g({status:{busy:{...a.status.busy,[e]:t},error:""}});try{return await n(o.signal),!o.signal.aborted}catch(s){return o.signal.aborted||yi(s),!1}finally{$e.get(e)===o&&Io(e)}}function Nt(e,t){g({status:{busy:{...a.status.busy,[e]:t}}})}function yi(e){let t=e instanceof U?e.status:void 0,n=e instanceof Error?e.message:String(e);g({status:{error:n,needsApiKey:t===fi}}),t===Lt&&Do()}function wi(){let e=document.querySelector(".translate, .named");e&&!e.style.minHeight&&(e.style.minHeight=`${e.offsetHeight}px`)}function $i(){let e=document.querySelector(".translate, .named");e&&(e.style.minHeight="")}function Io(e){$e.delete(e),e==="translate"&&We(()=>{$e.has(e)||$i()}),g({status:{busy:Object.fromEntries(Object.entries(a.status.busy).filter(([t])=>t!==e))}})}function We(e){requestAnimationFrame(()=>requestAnimationFrame(e))}var On=0,No=()=>Promise.resolve();function Wo(e){No=e}function Do(){clearTimeout(On),On=window.setTimeout(()=>{Oo().then(e=>{e?Hn():a.status.error&&Do()})},gi)}async function Hn(){clearTimeout(On),g({status:{error:"",needsApiKey:!1}}),await No()}function Bo(e){g({status:{notice:e}}),setTimeout(()=>{a.status.notice===e&&g({status:{notice:""}})},bi)}var ut=e=>$e.has(e);function ve(e){$e.get(e)?.abort(),Io(e)}var vi=50;async function De(e){let{disabled:t}=a.heads,n=e.every(o=>t.includes(o));await oe(n?t.filter(o=>!e.includes(o)):[...new Set([...t,...e])])}async function oe(e){let{undoStack:t,disabled:n}=a.heads;g({heads:{disabled:e,undoStack:[...t,n].slice(-vi)}}),await X()}async function Fo(){let{undoStack:e}=a.heads;g({heads:{disabled:e.at(-1)??[],undoStack:e.slice(0,-1)}}),await X()}async function X(){let{sentence:e}=a.inspection;if(!a.heads.disabled.length)return ve("ablate"),g({heads:{ablation:null,ablatedSentence:null}});!e?.isDone||!z()||R()||await E("ablate","Running without heads",async t=>{let n=k()?Ht(e):{prompt:e.source,...e.decoding},o={...Ie(e),heads:a.heads.disabled,together:!0,...n},{ablations:s=[],predicted:r}=await _("ablate",o,t),[i]=s;g({heads:{ablation:i?{...i,predicted:r}:null,ablatedSentence:e}})})}async function Be(){let{result:e,sentence:t}=a.inspection;if(!t?.isDone||!e||R())return;let n=[...e.weights.keys()],o=[...new Set(n.map(M))];await E("rank","Taking each head away",async s=>{let r={},i={};for(let[l,c]of o.entries()){let u=n.filter(h=>M(h)===c),p=await _("ablate",{...Ie(t),sweep:!0,heads:u},s);if(a.inspection.result!==e)return;r={...r,...p.worth},i={...i,...p.by_token},g({heads:{importance:r,importanceByToken:i}}),Nt("rank",`Taking each head away: ${l+1} of ${o.length} layers`)}g({heads:{sortBy:"worth"}})}),a.status.error&&a.inspection.result===e&&g({heads:{importance:null,importanceByToken:{}}})}var Bt=null,J=()=>Bt;function qe(){Bt=null}var xi=()=>({edits:a.output.sentences.flatMap(({edit:e},t)=>e?[{sentenceIndex:t,edit:e}]:[]),snapshot:a.inspection.snapshot,compared:a.output.compared,tracesSearch:a.search.trace!==null&&a.search.trace.source===$()?.source,ranksHeads:a.heads.importance!==null}),ki=16,Ti=1e3,Si=5,Ai=1e9,Wt=e=>e==="true",Fe=(e,t,n=!0)=>o=>{let s=Number(o);return o.trim()!==""&&s>=e&&s<=t&&(!n||Number.isInteger(s))?s:void 0},Dt=Fe(0,Ai),qo=e=>/^(encoder|decoder|cross)\.\d{1,9}\.\d{1,9}$/.test(e),Ri=e=>e==="mean"||/^mean\.[a-z]+\.\d{1,9}$/.test(e),Ei=e=>re.some(t=>e===`${O}${t}`),Pi=e=>qo(e)||Ri(e)||Ei(e)?e:void 0,Mi=e=>e.split(",").filter(qo),H=(e,t,n)=>({group:e,field:t,parse:n}),Nn={direction:H("request","modelName",String),text:H("request","text",String),beam:H("request","beamSize",Fe(1,ki)),temperature:H("request","temperature",Fe(0,Si,!1)),seed:H("request","seed",Fe(0,Number.MAX_SAFE_INTEGER)),length:H("request","maxTokens",Fe(1,Ti)),at:H("view","sentenceIndex",Dt),step:H("view","outputPosition",Dt),source:H("view","inputPosition",Dt),key:H("view","keyPosition",Dt),head:H("view","head",Pi),share:H("view","rowShare",Fe(.1,1,!1)),words:H("view","groupsWords",Wt),alone:H("view","hidesOtherRows",Wt),isExplained:H("view","showsComputation",Wt),isHtml:H("request","isHtml",Wt),sortBy:H("heads","sortBy",String),off:H("heads","disabled",Mi)},_i=["direction","text","beam","temperature","seed","length","at","off","isHtml"],Wn=(e,{group:t,field:n})=>e[t][n]??null,jo=An(),Ln=!1;function N(){Ln=!0}function Ci(e){let t=!a.request.translatesWhileTyping&&!a.status.busy.translate&&!a.status.error;return e==="text"&&q()&&t?a.output.sourceText:Wn(a,Nn[e])}var Oi=({sentenceIndex:e,edit:t})=>t.kind==="prefix"?[e,t.position,t.prefix,t.token,[]]:[e,null,t.text,"",t.ids];function Hi(){let{edits:e,snapshot:t,compared:n,tracesSearch:o,ranksHeads:s}=Bt??xi();return[["edits",e.length?JSON.stringify(e.map(Oi)):null],["compared",n&&JSON.stringify([n.text,n.ids])],["snapshot",t===null?null:String(t)],["searched",o?"true":null],["ranked",s?"true":null]].filter(i=>i[1]!==null)}var Li=e=>e==="text"||e==="direction"||e==="head"&&a.view.head===ne();function Uo(){let{storedPage:e}=a.server,t=new URLSearchParams;for(let[s,r]of Object.entries(Nn)){let i=Ci(s);e&&_i.includes(s)||i===null||i===Wn(jo,r)||String(i)===""||t.set(s,String(i))}if(!e){for(let[r,i]of Hi())t.set(r,i);let s=[...a.request.text.trim().split(`
`)[0]].slice(0,60).join("");document.title=s?`${s} · Regard`:"Regard"}let o=`#${a.output.isExample&&[...t.keys()].every(Li)?"":t}`;o===(location.hash||"#")||location.protocol==="about:"||(Ln?history.pushState(null,"",o):history.replaceState(null,"",o),Ln=!1)}var In=e=>Number.isSafeInteger(e)&&e>=0,Vo=e=>Array.isArray(e)?e.filter(In):[];function Go(e){try{return JSON.parse(e??"null")}catch{return null}}function Ii(e){if(!Array.isArray(e))return[];let[t,n,o,s,r]=e;return!In(t)||typeof o!="string"?[]:n===null?[{sentenceIndex:t,edit:{kind:"translation",text:o,ids:Vo(r)}}]:In(n)?[{sentenceIndex:t,edit:{kind:"prefix",position:n,prefix:o,token:typeof s=="string"?s:""}}]:[]}function Ni(e){let t=Go(e);return Array.isArray(t)?t.flatMap(Ii):[]}function Wi(e){let t=Go(e);return Array.isArray(t)&&typeof t[0]=="string"?{text:t[0],ids:Vo(t[1])}:e?{text:e,ids:[]}:null}function Dn(){let e=new URLSearchParams(location.hash.slice(1)),t={};for(let[o,s]of Object.entries(Nn)){let r=e.get(o),i=r?s.parse(r):void 0;i===void 0&&o==="direction"||((t[s.group]??={})[s.field]=i??Wn(jo,s))}let n=Number(e.get("snapshot")??NaN);return Bt={edits:Ni(e.get("edits")),snapshot:n>=0?n:null,compared:Wi(e.get("compared")),tracesSearch:e.has("searched"),ranksHeads:e.has("ranked")},t}var Ft=()=>be(Dn());var Bn=new Map,Ko=()=>Bn.clear();function V(e){let t=Bn.get(e);if(t)return t;let n=getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim(),o=[1,3,5].map(s=>parseInt(n.slice(s,s+2),16));return Bn.set(e,o),o}var ie=(e,t)=>`rgba(${V(e).join(", ")}, ${t.toFixed(3)})`,Y=e=>getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim();var Di=/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u,Bi=new RegExp(String.raw`\s+|${Di.source}|[\p{L}\p{M}\p{N}]+|.`,"gu"),Fi=4e6,xe=e=>[...e.matchAll(Bi)].map(({0:t,index:n})=>({text:t,begin:n}));function qt(e,t){let n=p=>p.map(h=>h.text).filter(h=>h.trim()),o=n(e),s=n(t),r=Math.min(o.length,s.length),i=0,l=0;for(;i<r&&o[i]===s[i];)i++;for(;l<r-i&&o.at(-1-l)===s.at(-1-l);)l++;let c=qi(o.slice(i,o.length-l),s.slice(i,s.length-l)),u=(p,h,f)=>{let b=new Set(c.map(w=>w[h]+i)),y=-1;return p.map(w=>w.text.trim()!==""&&++y>=i&&y<f-l&&!b.has(y))};return[u(e,0,o.length),u(t,1,s.length)]}function qi(e,t){let n=[],o=t.length+1;if(e.length*t.length>Fi)return n;let s=new Uint32Array((e.length+1)*o),r=(i,l)=>s[i*o+l];for(let i=e.length-1;i>=0;i--)for(let l=t.length-1;l>=0;l--){let c=e[i]===t[l];s[i*o+l]=c?r(i+1,l+1)+1:Math.max(r(i+1,l),r(i,l+1))}for(let i=0,l=0;i<e.length&&l<t.length;)e[i]===t[l]?n.push([i++,l++]):r(i+1,l)>=r(i,l+1)?i++:l++;return n}function zo(e,t){let n=[xe(e),xe(t)],o=qt(...n),s=r=>n[r].filter((i,l)=>o[r][l]).map(i=>i.text);return[s(0),s(1)]}var je=e=>JSON.stringify([a.request.modelName,e.source,a.request.beamSize,e.prefix]);async function ae(){let e=$();e?.isDone&&await E("search","Searching",async t=>{let n=je(e),o={...j(),text:e.source,beam_size:a.request.beamSize,trace:!0,split:!1,...e.prefix?{prefix:e.prefix}:{}},s=await _("translate",o,t),r=$();r&&je(r)===n&&g({search:{trace:{...s,requestKey:n,source:e.source},candidate:null}})})}function ji(e,{weights:t}){return e==="mean"||t.has(e)||re.some(n=>e===`${O}${n}`)?!0:[...t.keys()].some(n=>e===`${Q}${M(n)}`)}function dt(e,t,n=null){let{head:o,outputPosition:s}=a.view,r=a.heads.disabled.filter(i=>e.weights.has(i));be({inspection:{result:e}}),g({inspection:{result:e,sentence:t,snapshot:n},heads:{disabled:r,importance:null,importanceByToken:{}},view:{head:ji(o,e)?o:ne(),outputPosition:Math.max(0,Math.min(s,t.tokens.length-1))}},r.length?{}:{heads:{ablation:null,ablatedSentence:null}}),a.view.head.startsWith(O)&&Z(a.view.head)}async function W(){let e=$();if(!e?.isDone||!e.text||!k()||(await E("inspect","Looking inside",async n=>{dt(await Ne(Ie(e),n),e)}),R()))return;a.heads.disabled.length&&await X();let{trace:t}=a.search;t?.source===e.source&&t.requestKey!==je(e)&&await ae()}async function jt(e){let t=$();!t?.isDone||!t.text||(g({inspection:{snapshot:e}}),await E("inspect","Loading a snapshot",async n=>{let o={...Ie(t),snapshot:e,...Ht(t)};dt(await Ne(o,n),t,e)}))}async function Z(e){let t=a.inspection.result;if(!e.startsWith(O)||!t)return g({view:{head:e},inspection:{flow:null}});await E("flow","Following the layers",async n=>{let o=await It(t,`flow/${e.slice(O.length)}`,n);a.inspection.result===t&&g({view:{head:e},inspection:{flow:{...o,inspection:t}}})})}var Xo="";function Zo(e){let{result:t,lookup:n}=a.inspection,{head:o,showsComputation:s}=a.view;if(!t?.weights.has(o)||!s||R())return;let r=Fn(e),i=Xo===r&&(ut("lookup")||a.status.error!=="");n?.cell===r||i||(Xo=r,E("lookup","",async l=>{let c=await It(t,`lookup/${o}/${e.row}/${e.key}`,l);g({inspection:{lookup:{result:c,view:e,cell:r}}})}))}var pt=()=>T()?.no_parts??"",Jo={writes:"",stream:""};function Qo(e,t,n,o){let{result:s}=a.inspection;if(!s||R()||pt())return;let r=Jo[e]===t&&(ut(e)||a.status.error!=="");a.inspection[e]?.cell===t||r||(Jo[e]=t,E(e,"",async i=>{o(await It(s,n,i))}))}function es(e){let{head:t}=a.view;if(!a.inspection.result?.weights.has(t))return;let n=ke(e.row,t);Qo("writes",n,`writes/${t}/${e.row}`,o=>{g({inspection:{writes:{result:o,view:e,cell:n}}})})}function ts(e){let t=ke(e);Qo("stream",t,`stream/${e}`,n=>{g({inspection:{stream:{result:n,cell:t}}})})}var Ui=0,Yo=new WeakMap;function ke(e,t=""){let n=a.inspection.result,o=Yo.get(n)??++Ui;return Yo.set(n,o),`${o}/${t}/${e}`}var Fn=({row:e,key:t})=>`${ke(e,a.view.head)}/${t}`;async function ns(){await E("models","",async e=>{let{models:t}=await _("models",void 0,e),[n]=t;if(!n)throw new Error("The server has no model.");let o=t.some(s=>_e(s)===a.request.modelName);g({server:{models:t},request:{modelName:o?a.request.modelName:_e(n)},status:{error:"",needsApiKey:!1}})})}async function Ue(){await E("count","",async e=>{if(!a.request.text.trim()||!k())return g({tokenCounts:{total:null}});let t={...j(),text:a.request.text},n=await _("tokenize",t,e),o=n.sentences.map(s=>s.tokens.length);g({tokenCounts:{total:o.reduce((s,r)=>s+r,0),longestSentence:Math.max(0,...o),sentenceLimit:n.max_tokens,truncatedSentences:n.num_cut}})})}var Ve=()=>({source:"",text:"",tokens:[],ids:[],score:0,nBest:[],decoding:{},index:0,prefix:"",original:null,edit:null,isDone:!1});function qn(e,t){e.tokens=t.tokens.map((n,o)=>({token:n,log_prob:t.token_log_probs[o],alternatives:t.alternatives?.[o]??e.tokens[o]?.alternatives??[]}))}var G=e=>e.join("").replaceAll("▁"," ").trimStart(),Ut=(e,t)=>e.text===t.text&&String(e.ids)===String(t.ids),Ge=e=>/^<[^<>]+>$/.test(e);function Te(e,t,n="inserted"){let o=xe(e),[s]=qt(o,xe(t)),r=i=>n==="deleted"?d`<del>${i}</del>`:d`<mark>${i}</mark>`;return d`${o.map((i,l)=>s[l]?r(i.text):i.text)}`}var os=e=>Ge(e)?`
`:e.replaceAll("▁"," ");function jn({tokens:e,original:t}){if(!t)return e.map(()=>!1);let n=e.map(i=>os(i.token)),o=xe(n.join("")),[s]=qt(o,xe(t.tokens.map(i=>os(i.token)).join(""))),r=0;return n.map(i=>{let l=r;r+=i.length;let c=u=>u.begin<r&&u.begin+u.text.length>l;return o.some((u,p)=>s[p]&&c(u))})}var v=e=>e.replace(/^▁/,"").replaceAll("▁","␣")||"␣",Vi=/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u,le=e=>Vi.test(/\p{Letter}/u.exec(e)?.[0]??"")?"rtl":"ltr",Gi=/[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mongolian}]/u,Ki=[/[\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb]/u,/[\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef]/u];function ss(e="",t=""){let n=/(.)\p{M}*$/u.exec(e)?.[1]??"",o=/^./u.exec(t)?.[0]??"",s=r=>Gi.test(r)&&/\p{L}/u.test(r);return s(n)&&s(o)&&!Ki.some(r=>r.test(n))&&o!=="ء"}function Ke(e,t){let n=ss(e[t-1],e[t])?["joins-before"]:[],o=ss(e[t],e[t+1])?["joins-after"]:[];return[...n,...o].join(" ")}var Se=(e,t,n)=>e.values[t*e.keys+n]===e.forbidden;function ce(e,t,n){let o=e.values[t*e.keys+n];return o===e.forbidden?0:o/e.scale}var ze=(e,t)=>Array.from({length:e.keys},(n,o)=>ce(e,t,o));function Vt(e,t){let n=e.map((i,l)=>l).sort((i,l)=>e[l]-e[i]),o=new Set,s=e.reduce((i,l)=>i+l,0),r=0;for(let i of n){if(e[i]===0||r>=t*s&&t<1)break;o.add(i),r+=e[i]}return o}var Un=(e,t)=>({rows:e,keys:t,values:new Float32Array(e*t),scale:1,forbidden:-1});function rs(e){let t=Un(e.length,e[0]?.length??0);return t.values.set(e.flat().map(n=>n??t.forbidden)),t}function is(e){let[t]=e,n=Un(t.rows,t.keys);for(let{values:o,scale:s,forbidden:r}of e)for(let i=0;i<o.length;i++)n.values[i]+=o[i]===r?0:o[i]/s/e.length;for(let o=0;o<t.values.length;o++)t.values[o]===t.forbidden&&(n.values[o]=n.forbidden);return n}function as(e){let t=[];return e.words.forEach((n,o)=>{n!==null&&o>0&&e.words[o-1]===n?t.at(-1).push(o):t.push([o])}),t}function ls(e,t,n){let o=Un(t.length,n.length);return t.forEach((s,r)=>{n.forEach((i,l)=>{let c=s.every(h=>i.every(f=>Se(e,h,f))),u=h=>i.reduce((f,b)=>f+ce(e,h,b),0),p=s.reduce((h,f)=>h+u(f),0);o.values[r*n.length+l]=c?o.forbidden:p/s.length})}),o}var fs=new WeakMap,gs=e=>fs.get(e);function bs(e){let t=new OffscreenCanvas(e.width,e.height);return t.getContext("2d").putImageData(e,0,0),fs.set(t,e),t}var cs=new WeakMap;function ys(e,t){let n=cs.get(e)??new Map,o=[t,...V("paper"),...V("heat")].join(" "),s=n.get(o)??zi(e,t);return cs.set(e,n.set(o,s)),s}function Vn(e,t,n,o,s){for(let r=0;r<3;r++)e.data[4*t+r]=n[r]+s*(o[r]-n[r]);e.data[4*t+3]=255}function zi(e,t){let n=Math.min(e.rows,t),o=Math.min(e.keys,t),s=new Float32Array(o*n).fill(-1);for(let u=0;u<e.rows;u++)for(let p=0;p<e.keys;p++){if(Se(e,u,p))continue;let h=Math.floor(u*n/e.rows)*o+Math.floor(p*o/e.keys);s[h]=Math.max(s[h],ce(e,u,p))}let r=new ImageData(o,n),[i,l,c]=[V("paper"),V("heat"),V("forbidden")];return s.forEach((u,p)=>{u<0?Vn(r,p,c,c,1):Vn(r,p,i,l,u)}),bs(r)}var Gn=new WeakMap,ws=e=>Gn.get(e);function $s(e,t){Gn.set(e,{image:t,left:0,top:0,width:0,height:0,isMirrored:!1,labels:[],frames:[]}),e.width=t.width,e.height=t.height,e.getContext("2d").drawImage(t,0,0)}function vs(e,t,n){$s(e,ys(t,n))}function xs(e,t,n){let o=new ImageData(n,t.length),s=Math.max(...t.flat().map(Math.abs),1e-9);t.forEach((r,i)=>{r.forEach((l,c)=>{let u=V(l<0?"less":"more");Vn(o,i*n+c,V("paper"),u,Math.abs(l)/s)})}),$s(e,bs(o))}var Xi=14,Ji=120,us=10,ds=44,Yi=60,Zi=800,Qi=640,ea=1.2,ps=6,Gt="13px system-ui, sans-serif";function hs(e,t,n){let o=s=>e.measureText(s).width;return t.map(s=>{let r=[...v(s)];if(o(r.join(""))<=n)return r.join("");for(;r.length>1&&o(`${r.join("")}…`)>n;)r.pop();return`${r.join("")}…`})}function ms(e,t,n){let o=Math.max(Math.ceil(Xi/t),1);return Array.from({length:e},(s,r)=>r).filter(s=>s===n||s%o===0&&Math.abs(s-n)>=o)}function ta(e,t,n){let{weights:o,rows:s,keys:r,chosen:i,isMirrored:l}=t;e.font=Gt;let c=Math.min(Ji,n*.25),u=hs(e,s,c),p=hs(e,r,c),h=I=>Math.max(...I.map(ai=>e.measureText(ai).width)),f=h(u)+us,b=h(p)+us,y=n>Zi?Yi:ds,w=Math.max(Qi*y/ds/s.length,2*ps),S=Math.max(ea,Math.min(y,(n-f-2)/r.length,w)),P=S>=ps?Math.floor(S):S,B=P*r.length,de=P*s.length,kt=I=>f+P*(l?r.length-1-I:I),yn={rows:ms(s.length,P,i.row),keys:ms(r.length,P,i.key)},go=I=>Y(I?"accent":"ink"),ri=[...yn.rows.map(I=>({text:u[I],x:f-6,y:b+P*(I+.5),isVertical:!1,fill:go(I===i.row)})),...yn.keys.map(I=>({text:p[I],x:kt(I)+.5*P,y:b-6,isVertical:!0,fill:go(I===i.key)}))],bo={stroke:Y("accent"),thickness:1.5},ii=[{x:f-.5,y:b-.5,width:B+1,height:de+1,stroke:Y("line"),thickness:1},{x:f,y:b+P*i.row,width:B,height:P,...bo},{x:kt(i.key),y:b,width:P,height:de,...bo}];return{plan:{image:ys(o,1/0),left:f,top:b,width:B,height:de,isMirrored:l,labels:ri,frames:ii},layout:{left:f,top:b,size:P,...yn}}}function ks(e,t,n){let o=e.getContext("2d"),{plan:s,layout:r}=ta(o,t,n),{image:i,left:l,top:c,width:u,height:p,isMirrored:h,labels:f,frames:b}=s;Gn.set(e,s);let y=window.devicePixelRatio||1;e.width=Math.round((l+u+2)*y),e.height=Math.round((c+p+2)*y),e.style.width=`${l+u+2}px`,e.style.height=`${c+p+2}px`,o.scale(y,y),o.imageSmoothingEnabled=!1,o.save(),h&&o.transform(-1,0,0,1,2*l+u,0),o.drawImage(i,l,c,u,p),o.restore();for(let w of f)Kn(o,w);for(let w of b)o.strokeStyle=w.stroke,o.lineWidth=w.thickness,o.strokeRect(w.x,w.y,w.width,w.height);return r}function Kn(e,{text:t,x:n,y:o,isVertical:s,fill:r}){e.save(),e.translate(n,o),s&&e.rotate(-Math.PI/2),e.font=Gt,e.textAlign=s?"left":"right",e.textBaseline="middle",e.fillStyle=r,e.fillText(`⁨${t}⁩`,0,0),e.restore()}var ht=12,na="select, input, textarea, .unseen, .explanation, .save, .peek, [data-unsaved]",oa=e=>e==="transparent"||e==="rgba(0, 0, 0, 0)";function*sa(e,t,n){let o=document.createRange(),s=e.parentElement,r=s instanceof SVGGraphicsElement?s.getScreenCTM().a:1;for(let{0:i,index:l}of e.data.matchAll(/\S+/gu)){o.setStart(e,l),o.setEnd(e,l+i.length);let{x:c,y:u,width:p,height:h}=o.getBoundingClientRect(),f=`${t.fontStyle} ${t.fontWeight} ${r*parseFloat(t.fontSize)}px ${t.fontFamily}`;p&&(yield{kind:"text",x:c,y:u,width:p,height:h,text:i,fill:n,font:f,direction:t.direction})}}function*ra(e,{x:t,y:n,width:o,height:s},r){let i=ws(e);if(!i||!o)return;let{image:l,isMirrored:c}=i,u=i.width?{x:t+i.left,y:n+i.top,width:i.width,height:i.height}:{x:t,y:n,width:o,height:s};yield{kind:"cells",image:l,isMirrored:c,opacity:r,...u};for(let p of i.frames)yield{kind:"frame",radius:0,...p,x:t+p.x,y:n+p.y};for(let p of i.labels)yield{kind:"label",...p,x:t+p.x,y:n+p.y,width:0,height:0}}function*ia(e,t,n){let{x:o,y:s,width:r,height:i}=n,l=parseFloat(t.borderRadius)||0,c=(p,h=2)=>({kind:"frame",stroke:p,thickness:h,radius:l,...n}),u=(p,h,f=2)=>({kind:"line",...n,path:p,origin:[o,s],scale:[1,1],fill:"none",stroke:h,thickness:f,opacity:1,dashes:""});e.matches(".cell")&&(yield c(t.borderTopColor,e.getAttribute("aria-pressed")==="true"?4:1.5)),e.matches(".cell.off")&&(yield u(`M 0 0 L ${r} ${i}`,Y("less"))),e.matches("del")&&(yield u(`M 0 ${i/2} L ${r} ${i/2}`,Y("bad"),1)),e.matches('.token[aria-pressed="true"], .part.here')&&(yield c(Y("accent"))),e.matches(".token.prefix-end")&&(yield c(Y("more"))),e.matches(".token.new, u.new")&&(yield u(`M 2 ${i-1} L ${r-2} ${i-1}`,Y("more")))}function aa(e,t,{x:n,y:o,width:s,height:r}){let{a:i,d:l,e:c,f:u}=e.getScreenCTM();return{kind:"line",x:n,y:o,width:s,height:r,path:e.getAttribute("d"),origin:[c,u],scale:[i,l],fill:t.fill,stroke:t.stroke,thickness:parseFloat(t.strokeWidth),opacity:Number(t.opacity),dashes:t.strokeDasharray==="none"?"":t.strokeDasharray.replaceAll("px","")}}function*Ts(e){let{x:t,y:n,width:o,height:s}=e.getBoundingClientRect(),r={x:t,y:n,width:o,height:s},i=getComputedStyle(e);if(e.matches(na)||i.visibility==="hidden")return;let l=e instanceof SVGElement,c=Number(i.opacity);if(e instanceof HTMLCanvasElement)yield*ra(e,r,c);else if(e instanceof SVGPathElement)yield aa(e,i,r);else if(e instanceof SVGRectElement)i.fill==="none"?yield{kind:"frame",...r,stroke:i.stroke,thickness:2,radius:4}:yield{kind:"box",...r,fill:i.fill,opacity:c,radius:0};else if(!l&&o&&!oa(i.backgroundColor)){let u=parseFloat(i.borderRadius)||0;yield{kind:"box",...r,fill:i.backgroundColor,opacity:1,radius:u}}for(let u of e.childNodes)u instanceof Text?yield*sa(u,i,l?i.fill:i.color):u instanceof Element&&u.tagName!=="title"&&(yield*Ts(u));l||(yield*ia(e,i,r))}function Kt(e){let{classList:t}=document.documentElement;t.add("saving");try{return la(e)}finally{t.remove("saving")}}function la(e){let t=[],n=ht,o=0;for(let s of e.flatMap(r=>[...document.querySelectorAll(r)])){let r=s.getBoundingClientRect(),i=r.x-s.scrollLeft,l=r.y-s.scrollTop,c=n;for(let u of Ts(s)){let p=u.x-i+ht,h=u.y-l+n;t.push(u.kind==="line"?{...u,x:p,y:h,origin:[u.origin[0]-i+ht,u.origin[1]-l+n]}:{...u,x:p,y:h}),o=Math.max(o,p+u.width),c=Math.max(c,h+u.height)}n=c+ht}return{shapes:t,width:Math.ceil(o+ht),height:Math.ceil(n),paper:Y("paper")}}var zt=2;function ca(e,t){let{x:n,y:o,width:s,height:r}=t;if(e.save(),t.kind==="box")e.globalAlpha=t.opacity,e.fillStyle=t.fill,e.beginPath(),e.roundRect(n,o,s,r,Math.min(t.radius,r/2)),e.fill();else if(t.kind==="frame")e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.beginPath(),e.roundRect(n,o,s,r,t.radius),e.stroke();else if(t.kind==="cells")e.imageSmoothingEnabled=!1,e.globalAlpha=t.opacity,t.isMirrored&&e.transform(-1,0,0,1,2*n+s,0),e.drawImage(t.image,n,o,s,r);else if(t.kind==="label")Kn(e,t);else if(t.kind==="line"){e.globalAlpha=t.opacity,e.translate(...t.origin),e.scale(...t.scale),e.fillStyle=t.fill,e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.setLineDash(t.dashes?t.dashes.split(/[ ,]+/).map(Number):[]);let i=new Path2D(t.path);t.fill!=="none"&&e.fill(i),t.stroke!=="none"&&e.stroke(i)}else e.font=t.font,e.fillStyle=t.fill,e.textAlign="center",e.textBaseline="middle",e.direction=t.direction==="rtl"?"rtl":"ltr",e.fillText(t.text,n+s/2,o+r/2);e.restore()}function Ss(e){let{shapes:t,width:n,height:o,paper:s}=Kt(e),r=document.createElement("canvas"),i=r.getContext("2d");r.width=zt*n,r.height=zt*o,i.scale(zt,zt),i.fillStyle=s,i.fillRect(0,0,n,o);for(let l of t)ca(i,l);return r}var ua=3e5,zn=e=>e.replaceAll("&","&amp;").replaceAll("<","&lt;").replaceAll(">","&gt;").replaceAll('"',"&quot;");function ee(e,t,n=""){let o=Object.entries(t).map(([s,r])=>{let i=typeof r=="number"?String(Math.round(100*r)/100):zn(r);return` ${s}="${i}"`});return n?`<${e}${o.join("")}>${n}</${e}>`:`<${e}${o.join("")}/>`}function da({image:e,isMirrored:t,opacity:n,...o}){let{data:s,width:r,height:i}=gs(e),l=new Map,c=o.width/r,u=o.height/i,p=(f,b)=>{let y=f*r+(t?r-1-b:b);return[0,1,2].map(w=>s[4*y+w].toString(16).padStart(2,"0")).join("")};for(let f=0;f<i;f++)for(let b=0,y;b<r;b=y){let w=p(f,b);for(y=b+1;y<r&&p(f,y)===w;)y++;let S={x:o.x+b*c,y:o.y+f*u,width:(y-b)*c,height:u},P=l.get(w)??[];l.set(w,P),P.push(ee("rect",S))}let h=[...l].map(([f,b])=>ee("g",{fill:`#${f}`},b.join("")));return ee("g",{class:"cells",opacity:String(n),"shape-rendering":"crispEdges"},h.join(""))}function pa({image:e,isMirrored:t,opacity:n,x:o,y:s,width:r,height:i}){let l=document.createElement("canvas");return l.width=e.width,l.height=e.height,l.getContext("2d").drawImage(e,0,0),ee("image",{x:o,y:s,width:r,height:i,...t?{transform:`matrix(-1 0 0 1 ${2*o+r} 0)`}:{},opacity:String(n),preserveAspectRatio:"none",style:"image-rendering:pixelated",href:l.toDataURL()})}function ha(e){let{x:t,y:n,width:o,height:s}=e,r={x:t,y:n,width:o,height:s};switch(e.kind){case"box":{let i=Math.min(e.radius,s/2);return ee("rect",{...r,rx:i,fill:e.fill,opacity:String(e.opacity)})}case"frame":{let{stroke:i,thickness:l,radius:c}=e;return ee("rect",{...r,rx:c,fill:"none",stroke:i,"stroke-width":String(l)})}case"cells":return e.image.width*e.image.height>ua?pa(e):da(e);case"label":{let i={x:t,y:n,"text-anchor":e.isVertical?"start":"end","dominant-baseline":"central",...e.isVertical?{transform:`rotate(-90 ${t} ${n})`}:{},fill:e.fill,style:`font:${Gt}`};return ee("text",i,`⁨${zn(e.text)}⁩`)}case"line":return ee("path",{d:e.path,transform:`translate(${e.origin.join(" ")}) scale(${e.scale.join(" ")})`,fill:e.fill,stroke:e.stroke,"stroke-width":String(e.thickness),opacity:String(e.opacity),...e.dashes?{"stroke-dasharray":e.dashes}:{}});case"text":{let i={x:t+o/2,y:n+s/2,"text-anchor":"middle","dominant-baseline":"central",direction:e.direction,fill:e.fill,style:`font:${e.font}`};return ee("text",i,zn(e.text))}}}function As(e){let{shapes:t,width:n,height:o,paper:s}=Kt(e),i=[`<rect width="${n}" height="${o}" fill="${s}"/>`,...t.map(ha)].join(`
`),l={width:n,height:o,viewBox:`0 0 ${n} ${o}`};return`${ee("svg",{xmlns:"http://www.w3.org/2000/svg",...l},`${i}
`)}
`}function Rs(e,t){let n=document.createElement("a");n.href=URL.createObjectURL(t),n.download=e,n.click(),setTimeout(()=>URL.revokeObjectURL(n.href),1e3)}var Ae=(e,t,n="text/plain")=>Rs(e,new Blob([t],{type:n}));function ma(e){let t=n=>/[",\n\r]/.test(String(n))?`"${String(n).replaceAll('"','""')}"`:String(n??"");return e.map(n=>n.map(t).join(",")).join(`
`)+`
`}function Es(e){for(let t of document.querySelectorAll("details.save[open]"))(e instanceof KeyboardEvent?e.key!=="Escape":t.contains(e.target))||(e instanceof KeyboardEvent&&t.querySelector("summary").focus(),t.open=!1)}addEventListener("keydown",Es);addEventListener("pointerdown",Es);function C(e,t,n,o){let s={PNG:()=>Ss(t).toBlob(i=>{i&&Rs(`${e}.png`,i)}),SVG:()=>Ae(`${e}.svg`,As(t),"image/svg+xml"),CSV:()=>Ae(`${e}.csv`,ma(n()),"text/csv"),JSON:()=>Ae(`${e}.json`,`${JSON.stringify(o(),null,2)}
`,"application/json")},r=i=>{i.currentTarget.closest("details").open=!1};return d`<details class="save">
    <summary aria-label="Save: ${e}">Save</summary>
    <span class="files"
      >${Object.entries(s).map(([i,l])=>d`<button
            type="button"
            aria-label="${e} as ${i}"
            @click=${c=>{l(),r(c)}}
            >${i}</button
          >`)}</span
    >
  </details>`}var Ps={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},mt=e=>(...t)=>({_$litDirective$:e,values:t}),Xe=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,n,o){this._$Ct=t,this._$AM=n,this._$Ci=o}_$AS(t,n){return this.update(t,n)}update(t,n){return this.render(...n)}};var Xn=class extends Xe{current={};render(t){}update(t,[n]){let{style:o}=t.element;for(let[s,r]of Object.entries(n))this.current[s]!==r&&o.setProperty(s,r);for(let s of Object.keys(this.current))s in n||o.removeProperty(s);this.current=n}},A=mt(Xn);var fa={tokens:["Tokens","Models read and write tokens: words, or parts of words. ␣ is a space that stands alone, <s> begins a text, and </s> ends it."],beam:["Beam","How many beginnings of a translation are kept at each step. With 1, the likeliest token is taken each time."],sampling:["Sampling","Tokens are drawn by their probabilities. A temperature below 1 prefers likely tokens, one above 1 prefers them less. “Draw again” draws others."],probability:["Probability","How likely the model found a token, after the tokens before it. The stronger the colour of a token, the less likely it was."],best:["The best translations","What the search found, best first. The number is the score that ranks them: the logarithm of the probability, divided by a term for the length. A text that can be written with several sequences of tokens is listed once."],head:["Head","A head is one way of looking; each layer has several. cross.1.2 is its name in Python: the kind, and layer and number counted from 0. Encoder: the input looks at itself. Decoder: the output looks at what is written. Cross: the output looks at the input. “Mean” is the mean of several heads."],alignment:["Alignment head","The head of cross-attention whose weights are most like a word alignment: high on one word, near the line from first to last. It is a guess: read the matrix."],share:["Share of a row","Only the largest weights are drawn, as many as make up this share of the row. Of the other rows, at most half is drawn."],words:["Words","The tokens of a word are taken together: weights are summed over the tokens that are looked at, and averaged over those that look."],weight:["Weight","How much a token looks at another, from 0 to 1. The weights of a row sum to 1. A mask forbids some cells: a token that is being written may not look at later ones."],flow:["Through all layers","Rollout multiplies the weights of all layers. Gradient asks how a small change of an input changes the output. Integrated gradients add this up on the way from an empty input. None is the truth: each has its caveat below the matrix."],label:["Label","A name for what a head does mostly: it looks at the previous token, the same token, a symbol (a sink), along the alignment. Mixed: none of these for half of its weight."],entropy:["Entropy","How spread a row's weights are, in nats: 0 where one token has all the weight, 2.3 where ten tokens share it."],highest:["Highest weight","Of each row the largest weight, on average. The order “sharpness” begins with the highest."],offset:["Offset","How many places after its own a token looks, on average. Below 0: before."],worth:["Worth","How many nats of log-probability each token loses, on average, when this head is taken away. Below 0: the translation is likelier without it."],nats:["Nats","A log-probability is the natural logarithm of a probability. Minus 0.69 nats halves a probability; minus 2.3 nats make it a tenth."],value:["Value","A list of numbers that the head makes of a token, beside its key. The key says how well the token fits the query; the value is what it gives. Strips are as strong as the weight."],logit:["Logit","The output layer gives each token a number, its logit; softmax makes probabilities of them. The norm before it is held as it is. What later layers make of the head is not counted."],stream:["The state of a token","Each token has a list of numbers, its state. It begins as the embedding; each sublayer reads it and adds a list of its own. The wider a stream is drawn, the longer its list: the square root of the sum of squares."],lookup:["Query, key, softmax","Query and key are lists of numbers that the head makes of two tokens. Softmax turns scores into weights: e to the score, divided by the sum over the row."],search:["Score in the search","The sum of the log-probabilities so far, in nats. At each step the best beginnings go on; the others are dropped."],lens:["Logit lens","The output layer, which belongs after the last layer, is put after each layer: what would the model write if it stopped there?"],snapshot:["Snapshot","The model as it was after some steps of training. Training with training.keep_every keeps snapshots."],moved:["What moved it","Gradient times input: how strongly a small change of each token would change the prediction. It is a hint, not a proof."]},Xt=8;function ga(e){let t=e.target,n=t.previousElementSibling.getBoundingClientRect(),o=Math.max(Xt,Math.min(n.left,innerWidth-t.offsetWidth-Xt)),r=n.bottom+t.offsetHeight+Xt<innerHeight?n.bottom+4:Math.max(Xt,n.top-t.offsetHeight-4);t.style.left=`${o}px`,t.style.top=`${r}px`}function x(e,t){let[n,o]=fa[e];return d`<span class="term"
    ><button type="button" class="help" popovertarget="term-${e}">${t}</button
    ><span id="term-${e}" class="explanation" popover @toggle=${ga}
      ><b>${n}.</b> ${o}</span
    ></span
  >`}var ba=24,ya=.5,wa=.1;function $a(){let{ablations:e=[]}=a.inspection.result;if(!e.length)return m;let t=()=>[["heads","change","text"],...e.map(o=>[o.heads.join(" "),o.log_prob_change,o.text])],n=e.map(o=>d`<tr>
        <td>${o.heads.join(", ")}</td>
        <td class="number">${o.log_prob_change.toFixed(4)}</td>
        <td dir="auto">${o.text}</td>
      </tr>`);return d`<section class="panel without" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without heads</h2>
      ${C("without",["#ablations"],t,()=>e)}
    </div>
    <table id="ablations">
      <thead>
        <tr>
          <th>heads</th>
          <th>change, ${x("nats","nats")} per token</th>
          <th>what the model writes then</th>
        </tr>
      </thead>
      <tbody> ${n} </tbody>
    </table>
  </section>`}var Ms=(e,t)=>`${e>0?"+":""}${e.toFixed(t)}`;function _s(e,t,n){let o=Math.max(n?ya:wa,...t.map(Math.abs)),s=(r,i)=>{let l=v(e[i]??""),c={width:`${50*Math.abs(r)/o}%`,[r<0?"right":"left"]:"50%"};return d`<div class="change" role="listitem" aria-label="${l} ${r.toFixed(2)} ${n}">
      <bdi>${l}</bdi>
      <span class="track two"><span class=${r<0?"less":"more"} ${A(c)}></span></span>
      <span class="number">${Ms(r,2)}</span>
    </div>`};return d`<div class="changes" role="list" tabindex="0" aria-label="Change of each ${n?"token":"label"}">
    ${t.map(s)}
  </div>`}function va({token_changes:e,log_prob_change:t,text:n}){let o=a.heads.ablatedSentence,s=e.reduce((c,u)=>c+u,0),r=k()?"translation":"text",i=o.prefix?"It begins with what you wrote, as the one above does.":"You chose the one above; this is the best that was found.",l=o.prefix!==""||o.edit?.kind==="translation";return d`<p> Written then: <bdi class="strong" id="written-then">${Te(n,o.text)}</bdi> </p>
    ${l?d`<p class="hint" id="same-prefix">${i}</p>`:m}
    <p>
      The log-probability of the ${r} above changes by
      <span class="strong number" id="sum">${Ms(s,3)}</span> ${x("nats","nats")},
      <span class="strong number" id="change">${t.toFixed(3)}</span> per token, each token after the right ones:
    </p>
    ${_s(we(o),e,"nats")}`}function xa({predicted:e=[]}){let t=a.inspection.result.predicted??[],n=t.map(i=>i.label),o=new Map(e.map(({label:i,prob:l})=>[i,l])),s=new Set(n).size===n.length&&n.every(i=>o.has(i));if(!e.length||!s){let i=e.map(l=>l.label).join(" ");return d`<p>
      Said then: <bdi class="strong" id="written-then">${Te(i,n.join(" "))}</bdi>
    </p>`}let r=t.map(({label:i,prob:l})=>o.get(i)-l);return d`<p>
      Said then: <bdi class="strong" id="written-then">${e[0].label}</bdi>. The probability of each label
      changes by:
    </p>
    ${_s(n,r,"")}`}function ka(){let{disabled:e}=a.heads;if(!e.length)return d`<p class="hint">
      Switch a head off: this shows how much less likely each token becomes, and what the model
      ${ye()?"writes":"says"} instead.
    </p>`;let t=n=>d`<button class="chip" title="Switch on" aria-label="Switch ${n} on" @click=${()=>void De([n])}
      >${n} ✕</button
    >`;return d`<p class="chips"
    >${e.length>ba?`${e.length} heads are off.`:e.map(t)}</p
  >`}function Ta(e){let{predicted:t,token_changes:n}=e,o=we(a.heads.ablatedSentence);return C("without",["#written-then",".without .changes"],()=>t?.length?[["label","probability"],...t.map(({label:r,prob:i})=>[r,i])]:[["token","change"],...n.map((r,i)=>[o[i]??"",r])],()=>e)}function Cs(){let{result:e,sentence:t}=a.inspection,{ablation:n,ablatedSentence:o,disabled:s,undoStack:r}=a.heads;if(!e||!t)return m;if(a.server.storedPage)return $a();if(!z())return m;let i=R()||n!==null&&o!==t,l=p=>d`${ye()?va(p):xa(p)}
      <p class="legend">
        <span><i class="less"></i> less likely without the heads</span>
        <span><i class="more"></i> more likely</span>
      </p>
      <p class="hint">
        A model was not trained without them, so this is what they are worth here, not what another model could do.
      </p>`,c=d`<button id="all-on" @click=${()=>void oe([])}>Switch all on</button>`,u=d`<button id="undo" @click=${()=>void Fo()}>Undo</button>`;return d`<section class="panel without ${i?"stale":""}" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without these heads</h2>
      ${s.length?c:m} ${r.length?u:m}
      ${n?Ta(n):m}
    </div>
    ${ka()} ${n?l(n):m}
  </section>`}var{I:qd}=Eo;var Os=e=>e.strings===void 0;var ft=(e,t)=>{let n=e._$AN;if(n===void 0)return!1;for(let o of n)o._$AO?.(t,!1),ft(o,t);return!0},Jt=e=>{let t,n;do{if((t=e._$AM)===void 0)break;n=t._$AN,n.delete(e),e=t}while(n?.size===0)},Hs=e=>{for(let t;t=e._$AM;e=t){let n=t._$AN;if(n===void 0)t._$AN=n=new Set;else if(n.has(e))break;n.add(e),Ra(t)}};function Sa(e){this._$AN!==void 0?(Jt(this),this._$AM=e,Hs(this)):this._$AM=e}function Aa(e,t=!1,n=0){let o=this._$AH,s=this._$AN;if(s!==void 0&&s.size!==0)if(t)if(Array.isArray(o))for(let r=n;r<o.length;r++)ft(o[r],!1),Jt(o[r]);else o!=null&&(ft(o,!1),Jt(o));else ft(this,e)}var Ra=e=>{e.type==Ps.CHILD&&(e._$AP??=Aa,e._$AQ??=Sa)},Yt=class extends Xe{constructor(){super(...arguments),this._$AN=void 0}_$AT(t,n,o){super._$AT(t,n,o),Hs(this),this.isConnected=t._$AU}_$AO(t,n=!0){t!==this.isConnected&&(this.isConnected=t,t?this.reconnected?.():this.disconnected?.()),n&&(ft(this,t),Jt(this))}setValue(t){if(Os(this._$Ct))this._$Ct._$AI(t,this);else{let n=[...this._$Ct._$AH];n[this._$Ci]=t,this._$Ct._$AI(n,this,0)}}disconnected(){}reconnected(){}};var Jn=new WeakMap,Je=mt(class extends Yt{render(e){return m}update(e,[t]){let n=t!==this.G;return n&&this.G!==void 0&&this.rt(void 0),(n||this.lt!==this.ct)&&(this.G=t,this.ht=e.options?.host,this.rt(this.ct=e.element)),m}rt(e){if(this.isConnected||(e=void 0),typeof this.G=="function"){let t=this.ht??globalThis,n=Jn.get(t);n===void 0&&(n=new WeakMap,Jn.set(t,n)),n.get(this.G)!==void 0&&this.G.call(this.ht,void 0),n.set(this.G,e),e!==void 0&&this.G.call(this.ht,e)}else this.G.value=e}get lt(){return typeof this.G=="function"?Jn.get(this.ht??globalThis)?.get(this.G):this.G?.value}disconnected(){this.lt===this.ct&&this.rt(void 0)}reconnected(){this.rt(this.ct)}});function Ea({spelled:e,offsets:t},n){let o=[...n],s=0;return e.map((r,i)=>{let l=Math.max(s,t[i]?.[1]??0),c=t[i]?"":o.slice(s).join("");r.trim()&&c.trimStart().startsWith(r)&&(l=s+[...c.slice(0,c.indexOf(r)+r.length)].length),r.replaceAll("▁","")||(l=s+/^\s*/u.exec(o.slice(s,l).join(""))[0].length);let u=o.slice(s,l).join("");return s=l,u})}var Ls=/^▁?(<unk>|\[UNK\])$/;function Pa(e,t){let n=t.trim();return Ls.test(e)&&n&&!Ls.test(n)?`<unk: ${n}>`:e}function Qt(e,t){let n=a.view.groupsWords?as(e):e.spelled.map((r,i)=>[i]),o=Ea(e,t),s=e.spelled.map((r,i)=>Pa(r,o[i]));return{groups:n,labels:n.map(r=>r.map(i=>s[i]).join("")),pieces:n.map(r=>r.map(i=>o[i]).join("")),direction:le(t)}}function Is({groups:e},t){let n=e.findIndex(o=>o.at(-1)>=t);return n<0?e.length-1:n}function Ns(e,t,n,o,s){let r=a.view.groupsWords?ls(t,n.groups,o.groups):t,i=Is(n,s.row),l=ze(r,i),c=l.indexOf(Math.max(...l)),u=s.key!==null&&s.key<t.keys;return{kind:e,weights:r,rows:n,keys:o,row:i,bestKey:c,key:u?Is(o,s.key):c}}function Ma({rows:e,keys:t,shares:n,inspection:o}){let{text:s,target:r,token_log_probs:i}=o,l=Qt(e,r??s),c=Qt(t,s),{outputPosition:u,inputPosition:p}=a.view,h=r===null&&i.length>0,f=h?u-1:u,b=Ns("flow",rs(n),l,c,{row:f,key:p});return h&&(l.groups=l.groups.map(y=>y.map(w=>w+1))),b}function _a(){let{tokens:e,weights:t}=a.inspection.result,{head:n}=a.view,o=[...t.keys()],s=o.filter(l=>n===`${Q}${M(l)}`);if(s.length)return s;let r=Object.keys(e),i=r.includes("cross")?"cross":r.at(-1);return o.filter(l=>l.startsWith(`${i}.`))}var Zt=null;function Ca(e){return Zt?.heads.length===e.length&&e.every((n,o)=>n===Zt.heads[o])||(Zt={heads:e,mean:is(e)}),Zt.mean}function gt(){let{result:e,flow:t}=a.inspection,{head:n,outputPosition:o,inputPosition:s,keyPosition:r}=a.view;if(!e)return null;if(n.startsWith(O))return t&&Ma(t);let{text:i,target:l,weights:c}=e,u=c.has(n)?[n]:_a(),p=u[0].split(".")[0],h=e.tokens[p],f=u.map(P=>c.get(P)),b=Qt(h.rows,p==="encoder"?i:l??i),y=Qt(h.keys,p==="decoder"?l??i:i),w=h.rows.spelled.length-1,S=Pn(p)?{row:Math.min(o,w),key:s}:{row:Math.min(s??0,w),key:r};return Ns(p,f.length>1?Ca(f):f[0],b,y,S)}function D({kind:e,rows:t,keys:n},o,s){let r=({groups:c},u)=>c[Math.max(0,Math.min(u,c.length-1))][0],i=r(t,o),l=r(n,s);Pn(e)?g({view:{outputPosition:i,inputPosition:l}}):g({view:{inputPosition:i,keyPosition:l}})}var Ws=12;function K(e,t=1){let n=V("paper"),o=V(e);return d`<span class="ramp" aria-hidden="true"
    >${Array.from({length:Ws},(s,r)=>{let i=n.map((l,c)=>Math.round(l+t*r/(Ws-1)*(o[c]-l)));return d`<i ${A({background:`rgb(${i.join(", ")})`})}></i>`})}</span
  >`}var Oa=1e3,Ha=.5,La=.7,Ia=.05,Na="20px system-ui, sans-serif",Wa=16,Da=3,Ba=3,ue=30,Ds=14,Yn=140,Fa=640,qa=.7,ja=1.4,Ua=.4,en=null;function Va(e){let t=Math.min(a.view.rowShare,Ha);if(en?.weights===e&&en.share===t)return en.edges;let n=Math.max(1,Math.floor(Oa/e.rows)),o=Array.from({length:e.rows},(s,r)=>js(e,r,t).slice(0,n)).flat();return en={weights:e,share:t,edges:o},o}function js(e,t,n){let o=ze(e,t);return[...Vt(o,n)].map(s=>({row:t,key:s,weight:o[s]}))}var Bs=new OffscreenCanvas(1,1).getContext("2d");function nn(e){return Bs.font=Na,Bs.measureText(e).width}function tn(e,t){let n=0,o=e.labels.map((s,r)=>{let i=r>0&&e.pieces[r]!==""&&!/^\s|^▁/u.test(e.pieces[r]+s),l=v(s),c=Math.max(24,nn(l));return r&&(n+=i?Da:t*Wa),n+=c,{text:l,x:n-c/2,y:0,width:c}});if(e.direction==="rtl")for(let s of o)s.x=n-s.x;return{width:n,words:o}}function Ga({rows:e,keys:t},n){let o=f=>Math.max(tn(e,f).width,tn(t,f).width),[s,r]=[o(1),o(2)-o(1)],i=Math.max(1,Math.min(Ba,1+(n-Ds-s)/Math.max(r,1))),l={rows:tn(e,i),keys:tn(t,i)},c=Math.max(l.rows.width,l.keys.width)+Ds,u=(f,b)=>f.words.map(y=>({...y,x:y.x+(c-f.width)/2,y:b})),p=ue,h=p+Yn;return{width:c,height:h+ue,keys:u(l.keys,ue/2),rows:u(l.rows,h+ue/2),path:(f,b)=>`M ${f.x} ${h} C ${f.x} ${h-Yn/2}, ${b.x} ${p+Yn/2}, ${b.x} ${p}`}}function Ka(e,t){let n=[...e];if(nn(e)<=t)return e;for(;n.length>1&&nn(`${n.join("")}…`)>t;)n.pop();return`${n.join("")}…`}function za({rows:e,keys:t},n){let o=(u,p)=>u.labels.map(f=>Ka(v(f),Ua*n)).map((f,b)=>{let y=Math.max(24,nn(f));return{text:f,width:y,x:p?n-4-y/2:4+y/2,y:ue*(b+.5)}}),[s,r]=[o(t,!1),o(e,!0)],i=10+Math.max(...s.map(u=>u.width)),l=n-10-Math.max(...r.map(u=>u.width)),c=(i+l)/2;return{width:n,height:ue*Math.max(s.length,r.length),keys:s,rows:r,path:(u,p)=>{let h=`C ${c} ${u.y}, ${c} ${p.y}, ${i} ${p.y}`;return`M ${n-8-u.width} ${u.y} L ${l} ${u.y} ${h} L ${8+p.width} ${p.y}`}}}function Xa(){let e=document.querySelector(".panel.alignment");if(!e)return innerWidth-66;let{paddingLeft:t,paddingRight:n}=getComputedStyle(e);return e.clientWidth-parseFloat(t)-parseFloat(n)}function Fs(e,t,n){let o=e.currentTarget.ownerSVGElement;o.classList.toggle("hovering",n!==null);for(let r of o.querySelectorAll(".lit"))r.classList.remove("lit");if(n===null)return;let s=t==="row"?"key":"row";for(let r of o.querySelectorAll(`.edge[data-${t}="${n}"]`))r.classList.add("lit"),o.querySelector(`.word[data-${s}="${r.dataset[s]}"]`)?.classList.add("lit");o.querySelector(`.word[data-${t}="${n}"]`)?.classList.add("lit")}function Ja({text:e,x:t,y:n},o,s,r){return F`<text class="word" x=${t} y=${n} dy="0.35em" data-row=${o==="row"?s:-1}
    data-key=${o==="key"?s:-1} @click=${r}
    @pointerenter=${i=>Fs(i,o,s)}
    @pointerleave=${i=>Fs(i,o,null)}>\u2068${e}\u2069</text>`}var qs=e=>e?F`<rect class="frame-of-word" x=${e.x-e.width/2-4} y=${e.y-ue/2+1}
        width=${e.width+8} height=${ue-2} rx="4"></rect>`:m;function Us(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=Xa(),l=i<Fa,c=l?za(e,i):Ga(e,i),u=l?1:Math.max(qa,Math.min(ja,i/c.width)),h=[...a.view.hidesOtherRows?[]:Va(t).filter(y=>y.row!==s),...js(t,s,a.view.rowShare)],f=y=>{let w=y.row===s,S=Math.max(Ia,w?y.weight:La*y.weight);return F`<path class=${w?"edge here":"edge"} data-row=${y.row} data-key=${y.key}
      data-weight=${y.weight.toFixed(3)} opacity=${S} stroke-width=${1+4*y.weight}
      d=${c.path(c.rows[y.row],c.keys[y.key])}></path>`},b=(y,w,S)=>w.map((P,B)=>Ja(P,y,B,()=>S(B)));return d`<div class="scroll" tabindex="0" role="group" aria-label="Curves">
    <svg
      id="curves"
      class="curves"
      width=${Math.round(u*c.width)}
      height=${Math.round(u*c.height)}
      viewBox="0 0 ${c.width} ${c.height}"
      role="img"
      aria-label="Curves from each of ${n.labels.length} tokens to those of ${o.labels.length} that it looks at"
    >
      ${h.map(f)} ${qs(c.keys[r])} ${qs(c.rows[s])}
      ${b("key",c.keys,y=>D(e,s,y))}
      ${b("row",c.rows,y=>D(e,y,r))}
    </svg>
  </div>`}var L=e=>e.target.value,Ye=e=>e.target.checked,Ze=e=>e.ctrlKey||e.metaKey||e.altKey,on=e=>e.key==="Enter"&&(e.ctrlKey||e.metaKey);var Vs=5,Ya=.85,Za=.6;function Qa({weights:e,rows:t,keys:n,row:o,key:s}){let r=(l,c)=>{let u=Math.max(0,Math.min(l-2,c-Vs));return Array.from({length:Math.min(Vs,c)},(p,h)=>u+h)},i=(l,c)=>{let u=Se(e,l,c)?"forbidden":ce(e,l,c).toFixed(2),p=`${v(t.labels[l])} → ${v(n.labels[c])} ${u}`;return d`<td role="gridcell" aria-label=${p}></td>`};return d`<table class="unseen" role="grid" aria-label="Weights about the chosen cell">
    <tbody>
      ${r(o,e.rows).map(l=>d`<tr> ${r(s,e.keys).map(c=>i(l,c))} </tr>`)}
    </tbody>
  </table>`}function Gs({pieces:e,labels:t,direction:n},o){let{id:s,label:r,chosen:i,shareOf:l,choose:c}=o,u=(h,f)=>{let b=l(f),y=h!==""&&!/\p{Letter}/u.test(h),w=A({background:b?ie("heat",Ya*b):"",color:b>Za?"var(--paper)":""}),S=`part ${f===i?"here":""}`,[,P,B]=/^(\s*)([^]*)$/u.exec(h);if(Ke(e,f))return d`${P}<span class=${S} @click=${()=>c(f)} ${w}>${B}</span>`;let de=B||h||v(t[f]);return d`<bdi class=${h?"":"symbol"} dir=${y?n:"auto"} @click=${()=>c(f)}
      >${B?P:m}<span class=${S} ${w}>${de}</span></bdi
    >`},p=e.map(u);return d`<p id=${s} class="tokens" dir=${n} role="group" aria-label=${r}>${p}</p>`}function el(e){let t=a.inspection.result?.target!==null;return e==="flow"?`Each row is what was written or said; each column is a token of the input. The stronger a cell, the larger its share. ${a.inspection.flow?.caveat}`:e==="cross"?"Each row is a token of the output, as it is predicted; each column is a token of the input.":e==="decoder"&&t?"Each row is a token of the output, as it is predicted; each column is a token before it.":e==="decoder"?"Each row is a token of the text; each column is a token that it looks at: itself, or one before it.":`Each row is a token of the ${t?"input":"text"}; each column is a token of the same text that it looks at.`}function tl(e,t){let{row:n,key:o,weights:s,keys:r}=t,i=r.direction==="rtl"?-1:1,c={ArrowUp:()=>D(t,n-1,o),ArrowDown:()=>D(t,n+1,o),ArrowLeft:()=>D(t,n,o-i),ArrowRight:()=>D(t,n,o+i),Home:()=>D(t,n,0),End:()=>D(t,n,s.keys-1),n:()=>Ce(1),p:()=>Ce(-1),PageDown:()=>Oe(1),PageUp:()=>Oe(-1)}[e.key];Ze(e)||!c||(c(),e.preventDefault())}var Re=null,Ks=()=>Re;function nl(e,t){if(!Re)return;let{weights:n,keys:o}=t,s=e.target.getBoundingClientRect(),r=Math.floor((e.clientX-s.left-Re.left)/Re.size),i=Math.floor((e.clientY-s.top-Re.top)/Re.size),l=o.direction==="rtl"?n.keys-1-r:r;i>=0&&l>=0&&i<n.rows&&l<n.keys&&D(t,i,l)}function ol(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=o.direction==="rtl",l={weights:t,rows:n.labels,keys:o.labels,chosen:{row:s,key:r},isMirrored:i},c=h=>{queueMicrotask(()=>{let f=h?.parentElement;f&&(Re=ks(h,l,f.clientWidth))})},u=`${t.rows} rows, ${t.keys} columns`,p=d`<span><i class="stroke"></i> the others</span>`;return d`<div class="frame">
      <canvas
        id="matrix"
        tabindex="0"
        role="img"
        aria-label="Weights of ${a.view.head}: ${u}. Arrow keys choose a cell."
        ${Je(c)}
        @pointerdown=${h=>nl(h,e)}
        @keydown=${h=>tl(h,e)}
      ></canvas>
    </div>
    <p class="legend" id="legend">
      <span>${x("weight","weight")} 0 ${K("heat")} 1</span>
      <span><i class="forbidden"></i> forbidden by a mask</span>
      <span><i class="stroke here"></i> the chosen token</span> ${a.view.hidesOtherRows?m:p}
    </p>`}function sl({kind:e,weights:t,rows:n,keys:o,row:s,key:r,bestKey:i}){let l=t.values instanceof Uint16Array?3:2,c=y=>ce(t,s,y).toFixed(l),u=d`<bdi class="strong">${v(n.labels[s])}</bdi>`,p=d`<bdi class="strong">${v(o.labels[r])}</bdi>`,h=d`<span class="strong number">${c(r)}</span>`,f=!Se(t,s,r);if(e==="flow"&&f)return d`<p id="cell" role="status">${p} has a share of ${h} in ${u}.</p>`;let b=d`Most, ${c(i)}, goes to <bdi>${v(o.labels[i])}</bdi>.`;return d`<p id="cell" role="status">
    ${u} ${f?d`looks with ${h} at`:"may not look at"} ${p}.
    ${r===i?m:b}
  </p>`}function zs(){let e=(r,i)=>d`<option value=${r} ?selected=${r===a.view.head}>${i}</option>`,t=[...a.inspection.result.weights.keys()],n=[...new Set(t.map(M))],o=r=>d`<optgroup label="${Ct(r)} (${r})">
      ${t.filter(i=>M(i)===r).map(i=>e(i,`${_n(i)} (${i})`))}
      ${e(`${Q}${r}`,`mean of ${r}`)}
    </optgroup>`,s=()=>d`<optgroup label="Through all layers">
      ${re.map(r=>e(`${O}${r}`,r))}
    </optgroup>`;return d`${x("head","Head")}
    <select id="head" aria-label="Head" @change=${r=>void Z(L(r))}>
      ${n.map(o)} ${e("mean","mean")} ${a.server.storedPage?m:s()}
    </select>
    ${rl()}`}function rl(){let e=_t();if(!e)return m;let{head:t,isOfModel:n}=e;return d`<button id="aligns" aria-pressed=${a.view.head===t} @click=${()=>void Z(t)}
    >${n?"Alignment head":"Alignment layer of this sentence"}</button
  >`}function il(){let{rowShare:e,groupsWords:t,hidesOtherRows:n}=a.view,o=`${Math.round(100*e)} %`;return d`${x("share","Share of a row")}
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
        @input=${s=>g({view:{rowShare:Number(L(s))}})}
      />
      <span class="number">${o}</span></label
    >
    <span
      ><input
        id="words"
        type="checkbox"
        aria-label="words"
        .checked=${t}
        @change=${s=>g({view:{groupsWords:Ye(s)}})}
      />
      ${x("words","words")}</span
    >
    <label
      ><input
        id="alone"
        type="checkbox"
        .checked=${n}
        @change=${s=>g({view:{hidesOtherRows:Ye(s)}})}
      />
      only the chosen token</label
    >`}function al({weights:e,rows:t,keys:n}){let o=(l,c)=>Se(e,l,c)?null:ce(e,l,c).toFixed(4),s=()=>[["row","key","row_token","key_token","weight"],...t.labels.flatMap((l,c)=>n.labels.flatMap((u,p)=>{let h=o(c,p);return h===null?[]:[[c,p,l,u,h]]}))],r=(l,c)=>{let u=o(l,c);return u===null?null:Number(u)};return C("alignment",["#curves","#cell","#matrix","#legend"],s,()=>({head:a.view.head,rows:t.labels,keys:n.labels,weights:t.labels.map((l,c)=>n.labels.map((u,p)=>r(c,p)))}))}function ll({kind:e,keys:t}){return d`<p class="hint" id="reading">
    ${el(e)} ${t.direction==="rtl"?"Its columns run from right to left, as the text does.":m} ${e==="flow"?m:"The stronger the colour of a cell, the larger its weight; the weights of a row sum to 1. A weight says where a head looks. It does not say how important a token is: a head may look at tokens that change nothing in what is written."}
  </p>`}var Zn=()=>k()||a.server.storedPage?"Alignment":"Attention";function cl(){let e=ye()?"After a translation, this shows which words of the text each word was written from.":"This shows which tokens of the text each token looks at.";return d`<section class="panel alignment" aria-labelledby="alignment-title">
    <div class="head"><h2 id="alignment-title">${Zn()}</h2></div>
    ${a.inspection.result?zs():m}
    <p class="hint">${$()?"…":e}</p>
  </section>`}function ul(){let{head:e}=a.view,{result:t}=a.inspection;return t?.weights.has(e)?Ot(e):e.startsWith(O)?`Through all layers: ${e.slice(O.length).replace("-"," ")}`:e.startsWith(Q)?`Mean of ${Ct(e.slice(Q.length))}`:"Mean of the last kind of heads"}function Xs(){let e=gt();return!e||!a.inspection.result?cl():d`<section class="panel alignment ${Js(e)?"stale":""}" aria-labelledby="alignment-title">
    <div class="head">
      <h2 id="alignment-title">${_t()?x("alignment",Zn()):Zn()}</h2>
      <span id="shown-head" class="strong">${ul()}</span>
      ${al(e)}
    </div>
    <div class="together chooser" data-unsaved>${zs()}</div>
    ${Us(e)} ${sl(e)}
  </section>`}function Js({kind:e}){let{result:t,flow:n}=a.inspection;return R()||e==="flow"&&n?.inspection!==t}function Ys(){let e=gt();if(!e||!a.inspection.result)return m;let{rows:t,keys:n,row:o,key:s,weights:r}=e,i=ze(r,o),l=Vt(i,a.view.rowShare),c=Gs(t,{id:"row-tokens",label:"tokens that look",chosen:o,shareOf:()=>0,choose:p=>D(e,p,s)}),u=Gs(n,{id:"key-tokens",label:"tokens that are looked at",chosen:s,shareOf:p=>l.has(p)?i[p]:0,choose:p=>D(e,o,p)});return d`<section class="panel matrix ${Js(e)?"stale":""}" aria-labelledby="matrix-title">
    <div class="head">
      <h2 id="matrix-title">All its weights</h2>
      ${il()}
    </div>
    ${ol(e)} ${Qa(e)}
    <div class="sides">${c} ${u}</div>
    ${ll(e)}
    <p class="hint" id="keys">
      In the matrix, arrows, home and end choose a cell. N, P: next and previous head. Page up, page down: another
      layer.
    </p>
  </section>`}var Zs=320,Qs=18;function Ee(e,t,n,{max:o=Math.max(...n.map(Math.abs),1e-9),opacity:s=1}={}){let r=Zs/n.length,i=`from ${Math.min(...n).toFixed(2)} to ${Math.max(...n).toFixed(2)}`,l=(c,u)=>F`<rect x=${u*r} width=${r} height=${Qs} class=${c<0?"less":"more"}
      opacity=${(Math.min(1,Math.abs(c)/o)*s).toFixed(3)}><title>${c.toFixed(3)}</title></rect>`;return d`<div class="strip">
    <span>${t}</span
    ><svg
      data-strip=${e}
      viewBox="0 0 ${Zs} ${Qs}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${e}: ${n.length} numbers, ${i}"
    >
      ${n.map(l)}
    </svg>
  </div>`}var dl=.01,pl=.12;function hl({length:e,residual:t}){let n=Math.max(e,t),o=(s,r,i)=>d`<div class="change">
      <span>${s}</span
      ><span class="track"><span ${A({width:`${100*i/n}%`})}></span></span>
      <span class="number" id=${r}>${i.toFixed(2)}</span>
    </div>`;return d`${o("what it adds","added-length",e)} ${o("the state before","residual-length",t)}`}function ml({likelier:e,said:t}){if(!e.length)return m;let n=()=>d`It adds <span class="strong number" id="said">${t[1].toFixed(2)}</span> to the logit of
      <bdi class="strong">${v(t[0])}</bdi>, which is written here.`;return d`<p>
    Read by the output layer, it makes likelier most:
    ${e.map(([o,s])=>d`<span class="likelier"><bdi class="strong">${v(o)}</bdi> +${s.toFixed(2)}</span> `)}
    (${x("logit","logits")}). ${t?n():m}
  </p>`}function fl({keys:e,labels:t},n){let o=Math.max(...n.values.flat().map(Math.abs),1e-9),s=e.filter((l,c)=>c===0||n.weights[l]>=dl),r=n.weights.length-s.length,i=s.map((l,c)=>{let u=n.weights[l],p=d`<bdi>${v(t[l]??"")}</bdi>
      <span class="number">× ${u.toFixed(2)}</span>`,h=Math.max(pl,u);return Ee(`value ${c}`,p,n.values[c],{max:o,opacity:h})});return d`<p>
      Each key has a ${x("value","value")}, too. The head takes the values by their weights, and adds them up:
    </p>
    ${i} ${r?d`<p class="hint">and ${r} more keys, of little weight.</p>`:m}
    ${Ee("sum",d`<span class="strong">their sum</span>`,n.total,{max:o,opacity:1})}
    <p>A matrix makes of the sum what the head adds to the state of the token. Lengths:</p>
    <div class="lengths">${hl(n)}</div>
    ${ml(n)}`}function er(e){es(e);let{writes:t}=a.inspection,n=pt(),o=t!==null&&t.cell!==ke(e.row,a.view.head);return d`<div id="writes" class=${o?"stale":""} ?data-unsaved=${n!==""}>
    <h3>What it takes from them, and adds</h3>
    ${n?d`<p class="hint" id="no-writes">This cannot be shown for this model: ${n}</p>`:t?fl({keys:t.result.keys,labels:t.view.keys.labels},t.result):d`<p class="hint">…</p>`}
  </div>`}var gl=6;function bl(e,t){let{weights:n,allowed:o,scores:s,bias:r}=t,i=w=>s[w]+r[w],l=n.map((w,S)=>S).filter(w=>o[w]),c=Math.max(...l.map(i)),u=w=>Math.exp(i(w)-c),p=l.reduce((w,S)=>w+u(S),0),h=[...l].sort((w,S)=>i(S)-i(w)).slice(0,gl),f=h.includes(e.key)||!o[e.key]?h:[...h,e.key],b=w=>d`<tr class=${w===e.key?"strong":""}>
      <td><bdi>${v(e.keys.labels[w])}</bdi></td>
      <td class="number">${i(w).toFixed(2)}</td>
      <td class="number">${u(w).toFixed(3)}</td>
      <td class="number">${n[w].toFixed(3)}</td>
      <td class="fill">
        <span class="track"><span ${A({width:`${100*n[w]}%`})}></span></span>
      </td>
    </tr>`,y=l.length-f.length;return d`<table id="softmax">
      <thead>
        <tr>
          <th>key</th>
          <th>score</th>
          <th>exp(score − ${c.toFixed(2)})</th>
          <th>÷ ${p.toFixed(2)} = weight</th>
          <th><span class="unseen">weight, as a bar</span></th>
        </tr>
      </thead>
      <tbody> ${f.map(b)} </tbody>
    </table>
    ${y>0?d`<p class="hint">and ${y} more keys.</p>`:m}`}function yl({key:e},t){let{query:n,terms:o,factor:s,scores:r,bias:i,allowed:l}=t;if(!l[e])return d`<p id="score">
      A mask forbids this key: it gets the weight 0, whatever its score is. Softmax makes weights of the others:
    </p>`;let c=o.reduce((f,b)=>f+b,0),u=f=>d`<span class="number">${f.toFixed(3)}</span>`,p=d`, times ${u(s)} (1 ÷ √${n.length})`,h=d`, plus ${u(i[e])} for the positions`;return d`<p id="score">
    The sum, ${u(c)}${s===1?m:p}${i[e]?h:m}, is the score
    <span class="strong number">${(r[e]+i[e]).toFixed(3)}</span>. Softmax makes weights of the scores of
    a row:
  </p>`}function wl({row:e}){let{target:t,tokens:n}=a.inspection.result;if(!(t===null||a.view.head.startsWith("encoder.")))return n.decoder?.keys.spelled[e]}function $l(e,t){let n=d`<bdi class="strong">${v(e.rows.labels[e.row])}</bdi>`,o=d`<bdi class="strong">${v(e.keys.labels[e.key])}</bdi>`,s=wl(e),r=d`<p class="hint" id="place">
    The query is made where the model has read <bdi class="strong">${v(s??"")}</bdi> and is about
    to write ${n}.
  </p>`,i=t.is_additive?"v · tanh(query + key)":"their product, number by number";return d`${s===void 0?m:r}
    ${Ee("query",d`query ${s===void 0?"of":"before"} ${n}`,t.query)}
    ${Ee("key",d`key of ${o}`,t.key)} ${Ee("terms",i,t.terms)}
    ${yl(e,t)} ${bl(e,t)} ${er(e)}
    <p class="legend"><span>below 0 ${K("less")}</span> <span>above 0 ${K("more")}</span></p>`}function vl(e,t){let{scores:n,bias:o,allowed:s,weights:r}=t,{labels:i}=e.keys;return C("computed",[".computed > .strip","#score","#softmax","#writes"],()=>[["key","score","position","allowed","weight"],...i.map((u,p)=>[u,n[p],o[p],Number(s[p]),r[p]])],()=>({head:a.view.head,row:e.rows.labels[e.row],key_token:i[e.key],...t,writes:a.inspection.writes?.result??null}))}function tr(){let e=gt(),t=a.inspection.result;if(!t||!e||a.server.storedPage)return m;let{showsComputation:n,groupsWords:o,head:s}=a.view,r=t.weights.has(s);n&&!o&&Zo(e);let i=n&&r&&!o?a.inspection.lookup:null,l=R()||i!==null&&i.cell!==Fn(e),u=n?r?o?"Heads look at tokens, and not at words. Switch “words” off.":i?$l(i.view,i.result):"…":"What is shown is not one head. Choose a head in the grid.":"A token asks with its query; the other tokens answer with their keys, and give their values: this shows the numbers.";return d`<section class="panel computed ${l?"stale":""}" aria-labelledby="computed-title">
    <div class="head">
      <h2 id="computed-title">${x("lookup","How this weight is computed")}</h2>
      <button
        id="explain"
        aria-expanded=${n}
        @click=${()=>g({view:{showsComputation:!n}})}
        >${n?"Hide":"Show"}</button
      >
      ${i?vl(i.view,i.result):m}
    </div>
    ${typeof u=="string"?d`<p class="hint">${u}</p>`:u}
  </section>`}var xl=5,kl=480,nr=(e,t,n)=>Math.max(0,Math.min(n-1,Math.floor(e/t*n)));function or(e){let{importance:t,importanceByToken:n}=a.heads,{sentence:o}=a.inspection,s=e.map(b=>n[b]??[]),r=Math.max(...s.map(b=>b.length));if(!t||!o||!r)return m;let i=k()?0:1,l=Math.max(0,Math.min(a.view.outputPosition-i,r-1)),c=e.findIndex((b,y)=>b===a.view.head&&s[y].length),u=v(we()[l]??""),p=c<0?"":`${e[c]} is worth ${s[c][l].toFixed(3)} nats for ${u}.`,h=b=>{b&&xs(b,s,r)},f=b=>{let y=b.target.getBoundingClientRect(),w=e[nr(b.clientY-y.top,y.height,e.length)],S=nr(b.clientX-y.left,y.width,r)+i;g({view:{head:w,outputPosition:Math.min(S,o.tokens.length-1)}})};return d`<details class="sweep" open>
    <summary>Head by head, token by token</summary>
    <canvas
      id="sweep"
      role="img"
      aria-label="What each head is worth for each token. ${p}"
      ${Je(h)}
      ${A({height:`${Math.min(xl*e.length,kl)}px`})}
      @pointerdown=${f}
    ></canvas>
    <p id="sweep-cell" role="status">${p||"Click a cell."}</p>
    <p class="legend">
      <span>without the head, the token is more likely ${K("less")}</span>
      <span>less likely ${K("more")}</span>
    </p>
    <p class="hint">
      A row for each head, in the order above; a column for each
      token${k()?", the end included":" after the first"}.
    </p>
  </details>`}var Tl=44,Sl=.4,Qn={place:()=>0,worth:({head:e})=>-(a.heads.importance?.[e]??0),entropy:({entropy:e})=>e,sharpness:({confidence:e})=>-e,offset:({offset:e})=>e===null?1/0:Math.abs(e),label:({label:e})=>e},rr=()=>a.heads.sortBy!=="place"&&Object.hasOwn(Qn,a.heads.sortBy);function ir(){let{heads:e}=a.inspection.result;if(rr()){let n=Qn[a.heads.sortBy],o=(s,r)=>n(s)<n(r)?-1:+(n(s)>n(r));return[{layer:"",heads:[...e].sort(o)}]}return[...new Set(e.map(n=>M(n.head)))].map(n=>({layer:n,heads:e.filter(o=>M(o.head)===n)}))}var ar=()=>a.inspection.result.heads.map(e=>e.head),lr=e=>ar().filter(t=>M(t)===M(e));function cr(e){let t=ar().filter(s=>s!==e),{disabled:n}=a.heads,o=n.length===t.length&&!n.includes(e);oe(o?[]:t)}function Al(e,t){let n=ir().map(({heads:u})=>u.map(p=>p.head)),o=n.findIndex(u=>u.includes(e)),s=n[o].indexOf(e),r=n.flat(),i=r.indexOf(e),l=(u,p)=>u[Math.max(0,Math.min(p,u.length-1))];return{ArrowLeft:l(r,i-1),ArrowRight:l(r,i+1),ArrowUp:l(l(n,o-1),s),ArrowDown:l(l(n,o+1),s),Home:n[o][0],End:n[o].at(-1)}[t]}var sr={n:()=>Ce(1),p:()=>Ce(-1),PageDown:()=>Oe(1),PageUp:()=>Oe(-1)};function Rl(e,t){if(Ze(e))return;let n=Al(t,e.key);if(n!==void 0)g({view:{head:n}});else if(Object.hasOwn(sr,e.key))sr[e.key]();else if(e.key===" "&&z())De(e.shiftKey?lr(t):[t]);else if(e.key==="s"&&z())cr(t);else return;e.preventDefault(),requestAnimationFrame(()=>document.querySelector(`[data-head="${a.view.head}"]`)?.focus())}function El(e){let t=Math.max(...Object.values(a.heads.importance??{}),1e-9),n=ie("more",Sl*Math.max(0,e)/t),o=e.toFixed(2).replace("-0.00","0.00");return d`<span class="tag number" aria-hidden="true" ${A({background:n})}>${o}</span>`}function Pl({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=a.heads.importance?.[e];return[`${e}: ${t}`,`entropy ${n.toFixed(2)} nats`,`highest weight ${o.toFixed(2)}`,...s===null?[]:[`offset ${s.toFixed(1)}`],...r===void 0?[]:[`worth ${r.toFixed(3)} nats per token`]].join(", ")}function Ml(e,t){let{head:n}=e,o=a.inspection.result.weights.get(n),s=a.heads.disabled.includes(n),r=a.heads.importance?.[n],i=Pl(e),l=u=>{u&&vs(u,o,Tl)},c=n.replace(/^(\w)\w+/,"$1");return d`<button
    class="cell ${s?"off":""}"
    aria-pressed=${a.view.head===n}
    aria-label="${i}${s?", off":""}"
    title=${i}
    data-head=${n}
    tabindex=${t?0:-1}
    @click=${()=>g({view:{head:n}})}
    @keydown=${u=>Rl(u,n)}
    ><canvas ${Je(l)}></canvas>
    ${rr()?d`<span class="tag" aria-hidden="true">${c}</span>`:m}
    ${r===void 0?m:El(r)}</button
  >`}function _l(e){let t=a.heads.disabled.includes(e),n=lr(e).filter(o=>o!==e);return d`<button id="toggle" data-unsaved @click=${()=>void De([e])}
      >${t?"Switch on":"Switch off"}</button
    >
    <button id="solo" data-unsaved @click=${()=>cr(e)}>Solo</button>
    <button data-unsaved @click=${()=>void oe(n)}>Solo in its layer</button>`}function Cl({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=a.heads.importance?.[e],i=d`, ${x("offset","offset")} ${s?.toFixed(1)}`;return d`<div class="chosen">
    <p class="strong" id="head-words">${Ot(e)}</p>
    ${z()?d`<p class="together">${_l(e)}</p>`:m}
    <p class="hint" id="statistics">
      <span id="head-title">${e}</span>: ${x("label",t)}; ${x("entropy","entropy")} ${n.toFixed(2)}
      nats, ${x("highest","highest weight")} ${o.toFixed(2)}${s===null?m:i}, mean over
      rows.${r===void 0?m:d` Worth ${r.toFixed(3)} nats per token.`}
    </p>
  </div>`}function Ol(){let{sortBy:e,importance:t}=a.heads,n=Object.keys(Qn).filter(o=>o!=="worth"||t);return d`<label
    >Order
    <select id="order" @change=${o=>g({heads:{sortBy:L(o)}})}>
      ${n.map(o=>d`<option value=${o} ?selected=${o===e}>${o}</option>`)}
    </select></label
  >`}function Hl(e,t){if(!e)return m;let n=`Layer ${Number(e.split(".")[1])+1}`;return z()?d`<button
    class="site"
    title="Switch the whole layer off or on"
    aria-label="${n} (${e})"
    @click=${()=>void De(t)}
    >${n}</button
  >`:d`<span class="site">${n}</span>`}function Ll(e){return!(a.inspection.result?.target!=null)||e==="encoder"?"The text reads itself":e==="cross"?"The translation reads the text":"The translation reads what is written"}function Il(e){let t=e.map(({layer:n})=>n.split(".")[0]);return[...new Set(t)].map(n=>e.filter((o,s)=>t[s]===n))}function Nl(e,t){let[n]=e[0].layer.split(".");return d`<div class="group">
    ${n?d`<p class="kind hint">${Ll(n)}</p>`:m} ${e.map(o=>Wl(o,t))}
  </div>`}function Wl({layer:e,heads:t},n){let o=t.map(s=>s.head);return d`<div class="layer" role="group" aria-label=${e||"all heads"}>
    ${Hl(e,o)}
    <div class="cells ${e?"":"sorted"}" ${A({"--count":String(t.length)})}>
      ${t.map(s=>Ml(s,s.head===n))}
    </div>
  </div>`}function Dl(){let{heads:e}=a.inspection.result,{importance:t,importanceByToken:n,disabled:o}=a.heads,s=c=>t?.[c]??null,r=["head","label","entropy","highest_weight","offset","worth"];return C("heads",["#heads","#sweep",".chosen"],()=>[[...r,...t?we():[]],...e.map(({head:c,label:u,entropy:p,confidence:h,offset:f})=>{let b=t?n[c]??[]:[];return[c,u,p,h,f,s(c),...b]})],()=>e.map(c=>({...c,is_off:o.includes(c.head),worth:s(c.head),worth_by_token:n[c.head]??null})))}function ur(){let e=a.inspection.result;if(!e)return d`<section class="panel heads" aria-labelledby="heads-title">
      <div class="head"><h2 id="heads-title">Heads</h2></div>
      <p class="hint">
        A head is one way of looking: each layer has several. All of them appear here, and each can be switched off.
      </p>
    </section>`;let{disabled:t}=a.heads,n=e.heads.find(c=>c.head===a.view.head),o=ir(),s=n?.head??o[0]?.heads[0]?.head,r=d`<button id="rank" @click=${()=>void Be()}>Rank all heads</button>
    <span class="hint">by ${x("worth","worth")}</span>`,i=()=>Ae("heads-off.txt",`${t.join(`
`)}
`);return d`<section
    class="panel heads ${R()?"stale":""}"
    aria-labelledby="heads-title"
    ${A({"--widest":String(Math.max(...o.map(({heads:c})=>c.length)))})}
  >
    <div class="head">
      <h2 id="heads-title">Heads</h2>
      ${Ol()} ${ye()&&z()?r:m}
      ${t.length?d`<button @click=${i}>List of heads that are off</button>`:m}
      ${Dl()}
    </div>
    ${n?Cl(n):m}
    <div id="heads">${Il(o).map(c=>Nl(c,s))}</div>
    ${or(o.flatMap(({heads:c})=>c.map(u=>u.head)))}
    <p class="hint">
      Click or arrows: look at a head. N, P: the next and the previous one. ${z()?"Space: switch it off or on. Shift and space: its layer. S: only this one.":m}
    </p>
  </section>`}var eo=()=>matchMedia("(prefers-reduced-motion: reduce)").matches?"auto":"smooth";function sn(e){requestAnimationFrame(()=>{let t=document.querySelector(e);if(!t)return;let{top:n}=t.getBoundingClientRect();n>=0&&n<innerHeight/2||t.scrollIntoView({behavior:eo(),block:"start"})})}var dr=150,yt=40,to=84,bt=dr-to/2,Bl=e=>/\.\d+\.\d+$/.test(e);function Fl(e){if(e==="embeddings")return e;let[t,n]=e.split("."),o=`layer ${Number(n)+1}`;if(e.endsWith("feed_forward"))return`${o}: feed-forward`;let s=t==="decoder"&&a.inspection.result?.target!==null;return`${o}: reads ${s?"what is written":"the text"}`}function ql({parts:e}){return Object.keys(e).filter(Bl).sort((n,o)=>e[o]-e[n])[0]}function jl({name:e,length:t,total:n},o,s){let r=y=>Math.min(to,Math.max(1,to*y/s)),[i,l]=[r(o),r(n)],c=Math.min(yt,r(t)),u=e==="embeddings",p=u?l:i,h=yt/2,f=bt-i/2,b=`M 0 ${h} C 30 ${h}, ${f-14} ${h}, ${f+6} ${h+4}`;return F`<path class="state" d="M ${bt-p/2} 0 L ${bt+p/2} 0
      L ${bt+l/2} ${yt} L ${bt-l/2} ${yt} Z"></path>
    ${u?m:F`<path class="added" stroke-width=${c.toFixed(2)} d=${b}></path>`}`}function Ul(e,{before:t,max:n,expected:o}){let{name:s,length:r,total:i,says:l}=e,c=ql(e),u=c!==void 0&&M(a.view.head)===s,p=()=>{Z(c),sn(".alignment")},h=`adds ${r.toFixed(2)}; the state is then ${i.toFixed(2)} long`,f=Fl(s),b=d`<button
    class="link"
    title="Show head ${c?.split(".")[2]}, which adds most"
    aria-label="${f}. Show ${c}, the head that adds most"
    @click=${p}
    >${f}</button
  >`;return d`<div class="junction ${u?"here":""}" role="listitem" data-sublayer=${s}>
    <span>${c?b:f}</span>
    <svg viewBox="0 0 ${dr} ${yt}" preserveAspectRatio="none" role="img" aria-label=${h}>
      <title>${h}</title>
      ${jl(e,t,n)}
    </svg>
    <span class="number length">+${r.toFixed(1)}</span>
    ${l?d`<bdi class=${l[0]===o?"strong":""}>${v(l[0])}</bdi
            ><span class="number">${(100*l[1]).toFixed(0)} %</span>`:m}
  </div>`}function pr(e,t){if(a.server.storedPage||pt()||!a.inspection.result?.weights.size)return;ts(e);let{stream:n}=a.inspection;if(!n)return d`<p class="hint">…</p>`;let{sublayers:o}=n.result,s=Math.max(...o.map(({total:u})=>u)),[r]=o,{token:i,position:l}=r?.parts??{},c=d`The embedding of the token is ${i?.toFixed(1)} long, that of its position
  ${l?.toFixed(1)}.`;return d`<div class="stream ${n.cell===ke(e)?"":"stale"}" role="list">
      ${o.map((u,p)=>Ul(u,{before:o[p-1]?.total??0,max:s,expected:t}))}
    </div>
    <p class="hint">
      ${x("stream","The state")} of the token before the one that is written, from the embedding down: each sublayer
      adds its stream. To the right, the token that the output layer would write there (the logit lens; of early layers
      a hint). ${l===void 0?"The embedding has no part for the position.":c}
    </p>`}var Vl=5;async function Pe(){qe(),await mr()}async function hr(){let{text:e}=a.request,t=J(),n=()=>t!==null&&J()===t&&a.request.text===e&&!a.status.error;await mr();for(let o of t?.edits??[])n()&&await Gl(o);t&&n()&&await Kl(t,n),J()===t&&!a.status.error&&qe(),g({})}async function Gl({sentenceIndex:e,edit:t}){if(!a.output.sentences[e]?.isDone)return;let{sentenceIndex:n,outputPosition:o}=a.view;g({view:{sentenceIndex:e}}),await(t.kind==="prefix"?yr(t.position,t.token,t.prefix):Qe(t)),g({view:{sentenceIndex:n,outputPosition:o}}),e!==n&&await W()}async function Kl(e,t){let{snapshot:n,compared:o,tracesSearch:s,ranksHeads:r}=e,{sortBy:i}=a.heads;s&&t()&&await ae(),r&&t()&&await Be(),g({heads:{sortBy:i}}),o&&t()&&await wt(o),n!==null&&T()?.snapshots?.includes(n)&&t()&&await jt(n)}async function mr(){let{text:e,isHtml:t}=a.request;if(ve("inspect"),!k())return;if(!e.trim())return ve("translate"),g(...Mt);if(t)return await zl(e);await E("translate","Translating",async o=>{let s=Le(),r={...j(),...s,text:e,alternatives:He};await fr(r,o,{decoding:s},i=>{let l=Math.max(0,Math.min(a.view.sentenceIndex,i.length-1));g({output:{sentences:i,sourceText:e,html:"",compared:null},view:{hoveredToken:null,sentenceIndex:l}})})})&&$()?.isDone&&await W()}async function zl(e){await E("translate","Translating",async t=>{let n={...j(),...Le(),text:e,format:"html"},{text:o}=await _("translate",n,t);g({output:{html:o,sourceText:e,sentences:[]}},Rn)})}async function fr(e,t,n,o){let s=a.request.temperature?{}:{n_best:Math.min(a.request.beamSize,Vl)},r=[];for await(let{name:i,data:l}of Lo({...e,...s},t)){if(t.aborted)return;if(i==="meta"){for(let c=0;c<l.sentences;c++)r.push({...Ve(),index:c,...n});continue}if(i==="error")throw new U(l.status,l.message);if(i==="token"){let c=r[l.sentence];c.text=l.text,c.tokens.push(...l.tokens??[])}else i==="done"&&Xl(r,l,n.separator);o(r)}}function Xl(e,{text:t,sentences:n},o){let s=0;n.forEach((r,i)=>{let{text:l,score:c,source:u,ids:p,n_best:h=[]}=r,f=Math.max(t.indexOf(l,s),s),b={text:l,score:c,source:u,ids:p,nBest:h,isDone:!0,separator:o??t.slice(s,f)};qn(Object.assign(e[i],b),r),s=f+l.length})}function gr(){let e=Object.values(a.inspection.result?.tokens??{}).at(-1)?.rows;return e?.offsets.at(-1)===null?e.spelled.at(-1):void 0}var br=e=>!Ge(e)||k()&&e===gr();async function no(e,t){let n=$();if(!n?.isDone)return;let o=n.tokens.slice(0,e).map(s=>s.token);N(),await rn(async()=>{t===gr()?await Qe({text:G(o),ids:n.ids.slice(0,e)}):await yr(e,t,G([...o,t]))})}async function rn(e){let t=document.activeElement?.closest(".alternatives, .before, .nbest");await e(),We(()=>{let{activeElement:n}=document,o=!n||n===document.body||n.disabled;if(!t||!o)return;(document.querySelector('#output .token[aria-pressed="true"]')??document.querySelector("#output .token"))?.focus()})}async function yr(e,t,n){let o=$(),{sentences:s}=a.output,{sentenceIndex:r}=a.view;if(!o?.isDone)return;let{source:i,separator:l}=o,c=Le(),u={...j(),...c,text:i,prefix:n,split:!1,alternatives:He},p={kind:"prefix",position:e,token:t,prefix:n},h={source:i,separator:l,decoding:c,prefix:n,original:o.original??o,edit:p},f=s,b=await E("translate","Decoding again",async w=>{await fr(u,w,h,([S])=>{f=s.with(r,S),g({output:{sentences:f,compared:null},view:{outputPosition:e}})})});f!==s&&a.output.sentences===f&&!f[r].isDone&&g({output:{sentences:s}}),b&&$()?.isDone&&await W()}async function oo(){let{original:e}=$()??{};e&&(N(),await rn(async()=>{let{sentenceIndex:t,outputPosition:n}=a.view;g({output:{sentences:a.output.sentences.with(t,e),compared:null},view:{outputPosition:Math.min(n,e.tokens.length-1)}}),await W()}))}async function wr(e,{text:t,ids:n},o){let s=n.length?{target_ids:n}:{target_text:t},r={...j(),text:e.source,...s,alternatives:He},i=await _("score",r,o),l={...e,text:t,ids:i.ids,original:e.original??e,edit:{kind:"translation",text:t,ids:i.ids},score:i.log_prob,tokens:[]};return qn(l,{...i,tokens:i.tokens.slice(0,-1)}),l}async function wt(e){let t=$(),{compared:n}=a.output;if(!t||n&&Ut(n,e))return g({output:{compared:null}});await E("compare","Reading",async o=>{g({output:{compared:await wr(t,e,o)}})})}async function Qe(e){let t=$(),{sentenceIndex:n}=a.view;if(!t)return;await E("translate","Reading",async s=>{let r=await wr(t,e,s),i=Math.max(0,Math.min(a.view.outputPosition,r.tokens.length-1));g({output:{sentences:a.output.sentences.with(n,r),compared:null},view:{outputPosition:i,hoveredToken:null}})})&&await W()}var vr=.55,Jl=-3,et=e=>`${(100*Math.exp(e)).toFixed(e>Math.log(.1)?0:1)} %`,so=e=>({background:e===null?"":ie("doubt",vr*Math.min(1,e/Jl))});function xr(e,t){let n=a.view.sentenceIndex!==e;g({view:{sentenceIndex:e,outputPosition:t}},n?{output:{compared:null}}:{}),n&&W()}function Yl(e,t,n){let o=a.output.sentences[t].tokens.length,s=getComputedStyle(e.target).direction==="rtl"?-1:1,i={ArrowLeft:n-s,ArrowRight:n+s,Home:0,End:o-1}[e.key];i===void 0||i<0||i>=o||Ze(e)||(e.preventDefault(),xr(t,i),document.querySelector(`[data-sentence="${t}"] [data-place="${i}"]`)?.focus())}function kr({edit:e},t,n){return e?.kind==="prefix"&&e.position===n&&e.token===t.token}function Zl(e,t,n,o,s){let r=e.tokens[t],{outputPosition:i}=a.view,l=a.view.sentenceIndex===n,c=l&&i===t,u=t===0&&(!l||i>=e.tokens.length),p=kr(e,r,t);return d`<button
    class="token ${o?"new":""} ${p?"prefix-end":""} ${s}"
    ${A(so(r.log_prob))}
    aria-pressed=${c}
    tabindex=${c||u?0:-1}
    data-place=${t}
    aria-description=${r.log_prob===null?"":et(r.log_prob)}
    title=${p?"written by you":m}
    @click=${()=>xr(n,t)}
    @keydown=${h=>Yl(h,n,t)}
    @pointerenter=${h=>tc(h,n,t)}
    @pointerleave=${Tr}
    dir="auto"
    >${v(r.token)}</button
  >`}var Ql=200,ec=280,$r=8,an=0;function tc(e,t,n){if(e.pointerType==="touch"||(clearTimeout(an),!a.output.sentences[t]?.tokens[n]?.alternatives.length))return;let{left:o,bottom:s}=e.target.getBoundingClientRect();g({view:{hoveredToken:{sentenceIndex:t,position:n,left:o,bottom:s}}})}function Tr(){clearTimeout(an),an=window.setTimeout(()=>{a.view.hoveredToken&&g({view:{hoveredToken:null}})},Ql)}function ln(e){let{hoveredToken:t,sentenceIndex:n,outputPosition:o}=a.view;if(!t)return m;let{sentenceIndex:s,position:r,left:i,bottom:l}=t,c=a.output.sentences[s],u=c?.tokens[r];if(!u||s===n&&r===o)return m;let p=b=>{g({view:{sentenceIndex:s,outputPosition:r,hoveredToken:null}}),e(r,b)},h=innerWidth-ec-$r,f={left:`${Math.max($r,Math.min(i,h))}px`,top:`${l}px`};return d`<div
    class="peek"
    aria-hidden="true"
    @pointerenter=${()=>clearTimeout(an)}
    @pointerleave=${Tr}
    ${A(f)}
  >
    ${Sr(c,u,p,-1)}
  </div>`}function Sr(e,t,n,o){let s=(r,i)=>{let l=r===t.token;return d`<button
      class="bar ${l?"own":""}"
      tabindex=${o}
      ?disabled=${l||!e.isDone||!br(r)}
      @click=${()=>n(r)}
      ><bdi>${v(r)}</bdi
      ><span class="track"><span ${A({width:`${100*Math.exp(i)}%`})}></span></span>
      <span class="number">${et(i)}</span></button
    >`};return t.alternatives.map(([r,i])=>s(r,i))}function cn(e){let t=$(),{outputPosition:n}=a.view,o=t?.tokens[n];if(!t||!o?.alternatives.length)return m;let s=v(o.token);return d`<div class="alternatives" role="group" aria-label="Other tokens in the place of ${s}">
    <p class="hint">
      In the place of <bdi class="strong">${s}</bdi>.
      <span data-unsaved>Choose a token: it is written, and the rest is decoded again.</span>
    </p>
    ${Sr(t,o,r=>void e(n,r),0)}
  </div>`}var nc=e=>d`<button
    class="unpin"
    data-unsaved
    title="Take it back"
    aria-label="Take ${v(e)} back"
    @click=${()=>void oo()}
    >✕</button
  >`,ro=(e,t)=>t&&e.startsWith("▁")?" ":m;function oc(e,t){let{original:n}=e;if(!n||!e.isDone)return m;let o=d`<button id="take-back" data-unsaved @click=${()=>void oo()}>Take it back</button>`;return d`<p class="before hint">
    before: <bdi>${Te(n.text,e.text,"deleted")}</bdi> ${t===a.view.sentenceIndex?o:m}
  </p>`}function tt(e,t){let n=jn(e),o=e.tokens.map(c=>c.token),s=!e.isDone&&a.status.busy.translate,r=o.map((c,u)=>{let p=Ke(o,u),h=Zl(e,u,t,n[u],p),b=e.isDone&&kr(e,e.tokens[u],u)&&t===a.view.sentenceIndex;return d`${ro(c,u)}${h}${b?nc(c):m}`}),i=le(G(o)),l=`Sentence ${t+1}`;return d`<p class="output" dir=${i} data-sentence=${t} role="group" aria-label=${l}>
      ${r}${s?d`<span class="caret"></span>`:m}
    </p>
    ${oc(e,t)}`}function nt(){let e=a.output.sentences.some(s=>jn(s).some(Boolean)),t=$()?.edit?.kind==="prefix",n=d`<span><u class="new">underlined</u>: other than before</span>`,o=d`<span><span class="token prefix-end">framed</span>: written by you</span>`;return d`<p class="legend" id="doubts">
    <span>${x("probability","the model was sure")} ${K("doubt",vr)} unsure</span>
    ${e?n:m} ${t?o:m}
  </p>`}function ot(){let e=a.output.sentences.flatMap((t,n)=>t.tokens.flatMap(({token:o,log_prob:s,alternatives:r},i)=>{let l=[n,i,o,s];return r.length?r.map(c=>[...l,...c]):[[...l,"",null]]}));return[["sentence","place","token","log_prob","alternative","its_log_prob"],...e]}var sc=900,Ar=0;function Rr(){g({view:{isPlaying:!a.view.isPlaying}}),clearInterval(Ar),a.view.isPlaying&&(Ar=window.setInterval(rc,sc))}function rc(){let e=(a.inspection.sentence?.tokens.length??1)-1;a.view.outputPosition>=e?Rr():g({view:{outputPosition:a.view.outputPosition+1}})}var ic=e=>e?`layer ${e-1}`:"embeddings";function ac(e,t,n){let o=(s,[r,i])=>d`<div class="change" role="listitem">
      <span>${ic(s)}</span
      ><span class="track"><span ${A({width:`${100*i}%`})}></span></span>
      <bdi class=${r===n?"strong":""}>${v(r)}</bdi
      ><span class="number">${(100*i).toFixed(0)} %</span>
    </div>`;return d`<div class="lens" role="list">
      ${e.map((s,r)=>o(r,s[t]??["",0]))}
    </div>
    <p class="hint">
      What the output layer makes of each layer's state (the logit lens). Early layers were not trained for this: read
      it as a hint.
    </p>`}function lc(e,t){return C("layers",[".lens",".stream"],()=>[["step","layer","token","probability"],...t.flatMap((o,s)=>o.map(([r,i],l)=>[l,s?s-1:"embeddings",r,i]))],()=>({tokens:e.tokens.map(o=>o.token),layers:t,stream:a.inspection.stream?.result.sublayers??null}))}function cc(e,t){let n=Math.max(0,e.tokens.length-1),{token:o="",log_prob:s}=e.tokens[t]??{},{isPlaying:r}=a.view,i=()=>d`<span id="probability">${et(s)}</span>`;return d`<div class="controls">
    <button id="play" @click=${Rr} aria-label=${r?"Pause":"Play"}
      >${r?"❚❚":"▶"}</button
    >
    <input
      id="step"
      type="range"
      min="0"
      max=${n}
      step="1"
      .value=${String(t)}
      aria-label="Token"
      aria-valuetext=${v(o)}
      @input=${l=>g({view:{outputPosition:Number(L(l))}})}
    />
    <span
      >token ${t+1} of ${n+1}:
      <bdi class="strong">${v(o)}</bdi> ${typeof s=="number"?i():m}</span
    >
  </div>`}function uc(){let e=t=>{let n=`${O}${t}`,o=()=>{Z(n),sn(".alignment")};return d`<button aria-pressed=${a.view.head===n} @click=${o}>${t.replace("-"," ")}</button>`};return d`<p class="flows">
    <span class="hint">What reached the output ${x("flow","through all layers")}:</span> ${re.map(e)}
  </p>`}function Er(){let{sentence:e,result:t,flow:n}=a.inspection;if(!t||!e)return m;let{storedPage:o}=a.server,{lens:s,target:r,token_log_probs:i}=t,l=s.length>0,c=Math.max(0,Math.min(a.view.outputPosition,e.tokens.length-1)),u=r===null&&i.length>0,p=e.tokens[u?c+1:c]?.token,h=o?"This page was stored without what each layer would say; regard inspect --lens stores it.":"This model's layers cannot be read through its output layer.",f=n!==null&&a.view.head.startsWith(O);return d`<section class="panel layers ${R()?"stale":""}" aria-labelledby="layers-title">
    <div class="head">
      <h2 id="layers-title">${l?x("lens","Through the layers"):"Through the layers"}</h2>
      ${l?lc(e,s):m}
    </div>
    ${cc(e,c)}
    ${u&&l?d`<p class="hint">After this token, each layer would write:</p>`:m}
    ${pr(c,p)??(l?ac(s,c,p):d`<p class="hint">${h}</p>`)}
    ${o?m:uc()}
    ${f?d`<p class="hint" id="caveat">The alignment shows it. ${n.caveat}</p>`:m}
  </section>`}var Pr=()=>({id:"",step:0,token:"",candidate:null,children:[],path:[],ids:[],isOnBestPath:!0});function dc({trace:e}){let t=Pr(),n=[];for(let[o,s]of e.entries()){let r=new Set(s.filter(i=>i.fate==="dropped").slice(0,2));n=s.map((i,l)=>{let{fate:c,token:u,id:p}=i,h=i.parent===null?t:n[i.parent];if(!h||c==="dropped"&&!r.has(i))return;let f=c==="finished",b=f?h.path:[...h.path,u],y=f?h.ids:[...h.ids,p],w={...Pr(),id:`${o}.${l}`,step:o+1,token:u,candidate:i,path:b,ids:y};return h.children.push(w),w})}return t}function io(e,t,n){let o=e.step===n,r=(e.candidate?.fate==="finished"||o)&&String(e.ids)===String(t),i=e.children.map(l=>io(l,t,n)).some(Boolean);return e.isOnBestPath=i||r,e.isOnBestPath}var $t=null;function Mr(e,t){if($t?.trace===e&&$t.ids===String(t))return $t;let n=dc(e),o=e.trace.length,s=io(n,t,o);s||io(n,e.sentences[0]?.ids??[],o);let r=[],i=0,l=(u,p,h)=>{let f={node:u,parent:p,x:8+84*h,y:32*(i+1)};r.push(f),u.children.length||(i+=1);let b=[...u.children].sort((y,w)=>Number(w.isOnBestPath)-Number(y.isOnBestPath));for(let y of b)l(y,f,h+1)};l(n,null,0);let c=Math.max(...r.map(u=>u.x))+84;return $t={trace:e,ids:String(t),isFound:s,nodes:r,width:c,height:32*(i+1)},$t}function _r({x:e,y:t,parent:n}){let o=n.x+(n.parent?34:4),s=e-30,r=s-6;return n.y===t?`M ${o} ${t} L ${s} ${t}`:`M ${o} ${n.y} C ${r} ${n.y}, ${r-6} ${t}, ${s} ${t}`}function Cr({nodes:e},t,n){let o=e.filter(l=>l.x===t.x).sort((l,c)=>l.y-c.y),[s]=e.filter(l=>l.parent===t).sort((l,c)=>l.y-c.y),r=o.indexOf(t);return{ArrowLeft:t.parent?.parent?t.parent:void 0,ArrowRight:s,ArrowUp:o[r-1],ArrowDown:o[r+1]}[n]}var Or=9,pc={active:"went on",finished:"ended",dropped:"was dropped"};function hc(e){let t=[...v(e)];return t.length>Or?`${t.slice(0,Or-1).join("")}…`:t.join("")}function Hr({path:e,ids:t}){e.length&&(N(),Qe({text:G(e),ids:t}))}async function mc({path:e,ids:t}){await wt({text:G(e),ids:t}),requestAnimationFrame(()=>document.querySelector("#compared")?.scrollIntoView({block:"nearest"}))}function fc({node:e}){let{fate:t,score:n}=e.candidate,o=G(e.path),s=String(e.ids)===String($()?.ids),r=d`<button id="open" @click=${()=>Hr(e)}>Open in the other panels</button>
    <button id="beside" @click=${()=>void mc(e)}>Compare with the chosen one</button>`;return d`<p id="candidate" role="status">
    <bdi class="strong">${o||"nothing"}</bdi> ${pc[t]} at step ${e.step}, with a score of
    <span class="strong number">${n.toFixed(3)}</span>. ${o&&!s?r:m}
  </p>`}function gc(e,t,n){let s=e.key==="Enter"||e.key===" "?n:Cr(t,n,e.key);s&&(e.preventDefault(),g({search:{candidate:s.node.id}}),requestAnimationFrame(()=>document.querySelector(`#tree [data-node="${s.node.id}"]`)?.focus()))}var Lr=({node:e})=>`${e.isOnBestPath?"best":""} ${e.candidate.fate}`;function bc(e){return F`<path class="branch ${Lr(e)}" d=${_r(e)}></path>`}function yc(e,t,n){let{node:o,x:s,y:r}=t,{fate:i,score:l}=o.candidate;return F`<g class="node ${Lr(t)}" tabindex=${n?0:-1} data-node=${o.id} role="button"
      aria-pressed=${o.id===a.search.candidate}
      aria-label="${v(o.token)}, ${i}, score ${l.toFixed(2)}" transform="translate(${s}, ${r})"
      @click=${()=>g({search:{candidate:o.id}})} @dblclick=${()=>Hr(o)}
      @keydown=${c=>gc(c,e,t)}>
    <text dy="-0.1em" text-anchor="middle">\u2068${hc(o.token)}\u2069</text>
    <text class="score" dy="1.1em" text-anchor="middle">${l.toFixed(2)}</text>
    <title>${G(o.path)} (${l.toFixed(3)})</title></g>`}function wc(e,t){let n=e.nodes.slice(1),o=t??n[0];return d`<div class="scroll">
    <svg
      id="tree"
      width=${e.width}
      height=${e.height}
      role="group"
      aria-label="Tree of the search, ${n.length} candidates. Arrow keys go from one to another."
    >
      ${n.map(bc)} ${n.map(s=>yc(e,s,s===o))}
    </svg>
  </div>`}function $c(e,t,n){if(t)return d`<p class="hint">This is the search for another translation.</p>`;if(n)return m;let o="temperature"in e.decoding?"The translation above was drawn. This is what beam search would have tried.":"The translation above is not among these: it was chosen otherwise.";return d`<p class="hint" id="unsearched">${o}</p>`}function vc(e,t,n){let o=Mr(e,t.ids),s=o.nodes.slice(1).find(i=>i.node.id===a.search.candidate),r=d`<p class="hint" id="with-prefix">
    All begin with what you wrote: <bdi class="strong">${t.prefix}</bdi>
  </p>`;return d`${wc(o,s)} ${s?fc(s):m}
    ${$c(t,n,o.isFound)} ${t.prefix?r:m}
    <p class="hint">
      From left to right, a step for each token; below each token is its score.
      <span class="sign best">${o.isFound?"The chosen hypothesis":"The best hypothesis"}</span>, in the top row,
      <span class="sign dropped">dropped</span> (of each step, the best two), <span class="sign finished">ended</span>.
      Click a token to open its text in the other panels, or to compare it.
    </p>`}function xc(e){return C("search",["#tree"],()=>[["step","place","parent","token","log_prob","score","fate"],...e.trace.flatMap((n,o)=>n.map(({parent:s,token:r,log_prob:i,score:l,fate:c},u)=>[o+1,u,s,r,i,l,c]))],()=>e)}function Ir(){let e=$(),{trace:t}=a.search;if(!a.inspection.result||!e||!k())return m;let n=t!==null&&t.requestKey!==je(e),o=d`<p class="hint">
    Beam search keeps the ${a.request.beamSize} best beginnings at each step. This draws all that it tried.
  </p>`;return d`<section class="panel search ${n?"stale":""}" aria-labelledby="search-title">
    <div class="head">
      <h2 id="search-title">${x("search","Search")}</h2>
      <button id="search" @click=${()=>void ae()}>${t?"Search again":"Show the search"}</button>
      ${t?xc(t):m}
    </div>
    ${t?vc(t,e,n):o}
  </section>`}function Nr(){let e=T()?.snapshots??[];if(!e.length||!k()||!$()?.isDone)return m;let{snapshot:t,result:n}=a.inspection,o=t===null?e.length:e.indexOf(t),s=l=>{let c=e[Number(L(l))];c===void 0?W():jt(c)},r=t===null?"the model itself":d`after <span class="strong number">${t.toLocaleString("en")}</span> steps`,i=d`<p>
    Written then: <bdi id="snapshot-written" class="strong">${n?.written||"nothing"}</bdi>
  </p>`;return d`<section class="panel snapshots ${R()?"stale":""}" aria-labelledby="snapshots-title">
    <div class="head">
      <h2 id="snapshots-title">${x("snapshot","While it was trained")}</h2>
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
  </section>`}function Wr(){let e=a.inspection.result,t=$(),{note:n,says:o}=a.server.storedPage;return d`<section class="panel stored" aria-labelledby="text-title">
    <div class="head">
      <h2 id="text-title">Text</h2>
      ${C("text",["#text",".stored .output[data-sentence]"],ot,()=>t)}
    </div>
    <p dir="auto" id="text" class="output">${e.text}</p>
    ${o?d`<p dir="auto" id="says">${o}</p>`:m} ${tt(t,0)}
    ${e.token_log_probs.length?nt():m}
    <p class="hint">
      Choose a token: the other panels follow. This page was stored and has no model behind it. On the page of
      <code>regard serve MODEL</code>, other tokens can be forced and heads switched off.
    </p>
    ${n?d`<p class="hint" id="note">${n}</p>`:m}
  </section>`}function Dr(){let e=document.querySelector("#data");return e?JSON.parse(e.textContent):null}async function kc(e){let t=Uint8Array.from(atob(e),n=>n.charCodeAt(0));return await new Response(new Blob([t]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer()}function un(e){let{text:t,target:n,tokens:o,token_log_probs:s}=e,{spelled:r,offsets:i}=Object.values(o).at(-1).rows,l=n!==null&&r.length>1&&i.at(-1)===null,c=n===null?1:0;return{...Ve(),source:t,text:n??t,isDone:!0,tokens:(l?r.slice(0,-1):r).map((u,p)=>({token:u,log_prob:s[p-c]??null,alternatives:[]}))}}async function Tc({packed:e,bytes:t,parts:n}){let o=await kc(e),s=t===2?new Uint16Array(o):new Uint8Array(o),r=t===2?65535:255,i=new Map,l=0;for(let{heads:c,rows:u,keys:p}of n)for(let h of c){let f=l+u*p;i.set(h,{rows:u,keys:p,values:s.subarray(l,f),scale:r-1,forbidden:r}),l=f}return i}async function Br(e){let t=await Tc(e),n={...e.inspection,request:{},weights:t},o=un(n),{text:s}=n;Ft(),be({server:{storedPage:{note:e.note,says:e.says}},inspection:{result:n,sentence:o},output:{sentences:[o],sourceText:s},request:{text:s}});let{head:r}=a.view;g({view:{head:t.has(r)?r:e.first,sentenceIndex:0},heads:{disabled:[]}})}var Fr=[20,50,100,200];async function Sc(e,t,n){let o={model:T().name,prompt:e,...t,logprobs:He,echo:!0},{choices:s}=await _("v1/completions",o,n),{text:r,logprobs:i}=s[0];if(!i)throw new Error("The server must send the log-probabilities that were asked for.");let l=i.tokens.map((c,u)=>({token:c.replaceAll(" ","▁"),log_prob:i.token_logprobs[u]??null,alternatives:Object.entries(i.top_logprobs[u]??{}).sort((p,h)=>h[1]-p[1])}));return{text:r,ids:i.token_ids,tokens:l}}async function Ac(e,t){let{name:n,max_tokens:o}=T(),s=o??1/0;if(!e.trim())return s-1;let{tokens:r}=await _("inspect",{model:n,text:e},t);return s-Object.values(r)[0].keys.spelled.length}async function ao(e=null){let{text:t}=a.request,n=e?.prefix??t,o=e&&($()?.original??$()??null);await E("translate","Writing",async s=>{let{name:r,max_tokens:i}=T(),{temperature:l,seed:c}=a.request,u=Math.min(a.request.maxTokens,await Ac(n,s));if(u<1)throw new Error(`The text has as many tokens as the model can read: ${i}.`);let p={max_tokens:u,temperature:l,seed:c},{text:h,tokens:f,ids:b}=await Sc(n,p,s),y=b.slice(0,i??b.length),w=await Ne({model:r,text:h,ids:y},s),S=un(w).tokens,P={...Ve(),source:n,text:h,ids:y,decoding:p,original:o,edit:e,isDone:!0,tokens:S.map((de,kt)=>({...de,alternatives:f[kt]?.alternatives??[]}))},B=Math.max(0,Math.min(e?.position??0,S.length-1));g({output:{sentences:[P],sourceText:t,attribution:null},view:{sentenceIndex:0,outputPosition:B,hoveredToken:null},search:{trace:null}}),dt(w,P)}),a.heads.disabled.length&&!R()&&await X()}async function lo(e,t){let n=$().tokens.slice(0,e),o=G([...n.map(s=>s.token).filter(s=>!Ge(s)),t]);N(),await rn(()=>ao({kind:"prefix",position:e,token:t,prefix:o}))}async function Rc(){let{text:e}=a.request;await E("translate","Reading",async t=>{let n=await Ne({model:T().name,text:e},t),o=un(n),s=n.predicted?.length?await _(`inspect/${n.id}/flow/gradient`,void 0,t):null;g({output:{sentences:[o],sourceText:e,attribution:s&&{...s,inspection:n}},view:{sentenceIndex:0,outputPosition:0},search:{trace:null}}),dt(n,o)}),a.heads.disabled.length&&!R()&&await X()}async function dn(){qe(),N(),await vt()}async function vt(){if(k())return await hr();let e=J(),{outputPosition:t}=a.view,n=T()?.arch==="decoder";await(n?ao():Rc());for(let{edit:o}of e?.edits??[])J()===e&&o.kind==="prefix"&&n&&await ao(o);if(e?.ranksHeads&&J()===e&&await Be(),e&&J()===e){qe();let o=($()?.tokens.length??1)-1;g({view:{outputPosition:Math.max(0,Math.min(t,o))}})}}function pn(){let[e]=T()?.examples??[];e&&!a.request.text&&g({request:{text:e},output:{isExample:!0}})}function qr(e){let t=T();g({request:{modelName:e},heads:{disabled:[]},view:{head:"",outputPosition:0,inputPosition:null},tokenCounts:{total:null},...a.output.isExample?{request:{modelName:e,text:""},output:{isExample:!1}}:{}}),pn(),co(t),a.request.text.trim()&&dn()}function co(e){let t=T(),n=e?.arch===t?.arch&&e?.task===t?.task,o=!!e?.direction;(!n||o!==k()||!a.request.text.trim())&&g(...Mt)}var hn=[0,.5,.8,1,1.3],Ec=/^und-und(-x-|$)/;function mn(){let{modelName:e}=a.request,{models:t}=a.server;if(t.length<2)return d`<span class="hint">${Ec.test(e)?m:e}</span>`;let n=o=>d`<option value=${o} ?selected=${o===e}>${o}</option>`;return d`<select id="model" aria-label="Model" @change=${o=>qr(L(o))}>
    ${t.map(o=>n(_e(o)))}
  </select>`}function st(e,t,n,o,s,r=String){let i=[...new Set([...t,n])].sort((c,u)=>c-u),l=c=>d`<option value=${c} ?selected=${c===n}>${r(c)}</option>`;return d`<select id=${e} aria-label=${s} @change=${c=>o(Number(L(c)))}>
    ${i.map(l)}
  </select>`}var fn=()=>a.status.busy.translate?d`<button @click=${()=>ve("translate")}>Stop</button>`:m;var jr=.6,se=()=>T()?.arch==="decoder",Pc=({label:e,prob:t})=>d`<div class="change" role="listitem">
    <bdi>${v(e)}</bdi>
    <span class="track"><span ${A({width:`${100*t}%`})}></span></span
    ><span class="number">${(100*t).toFixed(0)} %</span>
  </div>`;function Mc(){let e=a.inspection.result?.predicted,{attribution:t}=a.output;if(!e?.length)return m;let n=T()?.task==="classify"?"the likeliest class":"the chosen token",o=d`<p class="legend">
      <span>${x("moved","moved it")} little ${K("heat",jr)} much</span>
    </p>
    <p class="hint">The tokens that moved ${n}: the stronger the colour, the more. ${t?.caveat}</p>`;return d`<div id="predicted" role="list">${e.map(Pc)}</div> ${t?o:m}`}function _c(){let e=$();if(!e||!a.inspection.result)return m;let{outputPosition:t}=a.view,n=a.output.attribution?.shares,o=n?.length===1?n[0]:n?.[Math.min(t,n.length-1)],s=(r,i)=>{let l=o?.[i]??0;return d`<button
      class="token"
      dir="auto"
      aria-pressed=${t===i}
      data-place=${i}
      data-share=${l.toFixed(3)}
      ${A({background:o?ie("heat",jr*l):""})}
      @click=${()=>g({view:{outputPosition:i}})}
      >${v(r)}</button
    >`};return d`<p class="output" id="moved" dir=${le(e.text)}>
    ${e.tokens.map((r,i)=>s(r.token,i))}
  </p>`}function Cc(){let{text:e,maxTokens:t,temperature:n}=a.request,o=st("length",Fr,t,i=>g({request:{maxTokens:i}}),"Tokens"),s=st("temperature",hn,n,i=>g({request:{temperature:i}}),"Temperature"),r=d`<label>Tokens ${o}</label> <label>Temperature ${s}</label>`;return d`<div class="controls">
    <button class="primary" @click=${()=>void dn()} ?disabled=${!e.trim()&&!se()}
      >${se()?"Continue":"Read"}</button
    >
    ${fn()} ${se()?r:m}
  </div>`}function Oc(e){let t=["#output","#doubts",".alternatives"];if(se())return C("continuation",t,ot,()=>a.output.sentences);let n=a.inspection.result?.predicted??[],o=()=>[["label","probability"],...n.map(({label:r,prob:i})=>[r,i])],s=e.tokens.map(r=>r.token);return C("predicted",t,o,()=>({predicted:a.inspection.result?.predicted,tokens:s,moved:a.output.attribution?.shares}))}function Hc(e){return se()?e?tt(e,0):d`<p class="hint">
    The text with its continuation appears here. The stronger a token is coloured, the less the model expected it.
  </p>`:d`${Mc()} ${_c()}`}function Ur(){let e=$(),t=se()&&e!==void 0,n=!!a.status.busy.translate,o=s=>{on(s)&&dn()};return d`<section class="panel named" aria-label="Text, and what the model makes of it">
    <div class="columns">
      <div>
        <div class="head">
          <h2>Text</h2>
          ${mn()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="4"
          spellcheck="false"
          aria-label=${se()?"Text to continue":"Text to read"}
          placeholder=${se()?"Write how it begins.":"Write or paste a text."}
          .value=${a.request.text}
          @input=${s=>g({request:{text:L(s)}})}
          @keydown=${o}
        ></textarea>
        ${Cc()}
      </div>
      <div>
        <div class="head">
          <h2>${se()?"Continuation":"What the model says"}</h2>
          ${e?.isDone&&a.inspection.result?Oc(e):m}
        </div>
        <div class=${q()||n?"stale":""} aria-busy=${n}>
          <div id="output" aria-live="polite">${Hc(e)}</div>
          ${t?d`${nt()} ${cn(lo)}`:m}
        </div>
        ${t?ln(lo):m}
      </div>
    </div>
  </section>`}var Vr=async()=>{a.heads.disabled.length&&await oe([])},gn=[{title:"Token by token",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:0,head:ne(),showsComputation:!1}}),await Vr()},text:"A model writes one token at a time. Each token is coloured by how unsure the model was of it. Click one: below, you see the likeliest tokens in its place, with their probabilities."},{title:"What a row is",panel:".matrix",target:".frame",prepare:async()=>{g({view:{inputPosition:null}}),await Z(ne())},text:"Before it writes a token, the model looks back at the text. A row of the matrix belongs to one token of the translation; its cells say how that look is divided among the tokens of the text. A row sums to 1."},{title:"What a head is",panel:".heads",target:"#heads",prepare:()=>g({heads:{sortBy:"place"}}),text:"Every layer has several heads, and each looks in its own way. Some look at the token before, some at the word that is being translated, some at nothing in particular. Each small picture is the matrix of one head. Click some."},{title:"How one weight is computed",panel:".computed",target:"#softmax",prepare:async()=>{g({view:{showsComputation:!0,groupsWords:!1}}),await Nc(()=>a.inspection.lookup!==null&&!ut("lookup"))},text:"The token that looks has a query, and each token that is looked at has a key: two lists of numbers. They are multiplied and added up, which gives a score. Softmax turns the scores of a row into weights that sum to 1. Below the table: the head takes the values of those tokens by these weights."},{title:"A weight is not a cause",panel:".matrix",target:".frame",prepare:()=>g({view:{showsComputation:!1,head:ne()}}),text:"A weight says where a head looks. It does not say that the look matters: later layers may ignore it. To know what the translation depends on, take something away and see what changes."},{title:"Taking a head away",panel:".without",target:".changes",prepare:()=>oe([ne()]),text:"One head is off now. The bars show how much less likely each token of the translation becomes without it. Above them is what the model writes then. Often that is nearly the same: heads can stand in for each other."},{title:"Forcing a word",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:Math.min(1,($()?.tokens.length??1)-1)}}),await Vr()},text:"Click another token in the list below the translation. It is written there, and the model decodes the rest again. See how far one word changes what follows, and what it does not change."},{title:"The search",panel:".search",target:".scroll",prepare:ae,text:"A model does not simply take the likeliest token. Beam search keeps several beginnings at once, and drops those that fall behind. The way that won is in the top row. The tour ends here; the rest is yours to try."}],Lc=5e3,Ic=20;async function Nc(e){let t=performance.now()+Lc;for(;!e()&&!a.status.error&&performance.now()<t;)await new Promise(n=>setTimeout(n,Ic))}function Wc(){let{disabled:e,undoStack:t,sortBy:n}=a.heads,{sentences:o,sourceText:s}=a.output;return{view:{...a.view},heads:{disabled:e,undoStack:t,sortBy:n},search:{...a.search},output:{sentences:o,sourceText:s},scrollTop:scrollY}}var po=null;async function Gr(){let e=T()?.examples?.[0],t=a.request.text.trim()!=="";if(!t&&!e)return g({status:{notice:"Write a text first: this model has no examples."}}),document.querySelector("#text")?.focus();(!($()?.isDone&&a.output.sourceText!==""&&!q())||!a.inspection.result||R())&&(t||(N(),g({request:{text:e}})),await Pe(),!$()?.isDone)||(po=Wc(),await ho(0))}async function uo(){document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.remove("touring");let{view:e,heads:t,search:n,output:o,scrollTop:s}=po,r=o.sourceText===a.output.sourceText,i=a.inspection.sentence===(o.sentences[e.sentenceIndex]??null);po=null;let{isPlaying:l}=a.view,{showsComputation:c,groupsWords:u}=e;r?g({heads:t,search:n,output:o,view:{...e,tourStop:null,isPlaying:l,hoveredToken:null}}):g({heads:t,view:{tourStop:null,showsComputation:c,groupsWords:u}}),document.querySelector("#tour")?.focus({preventScroll:!0}),r&&!i?await W():await X(),r&&e.head.startsWith(O)&&await Z(e.head),We(()=>scrollTo({top:s}))}async function ho(e){let t=gn[e];document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.add("touring"),g({view:{tourStop:e}}),await t.prepare(),We(()=>{if(a.view.tourStop!==e)return;let n=document.querySelector(t.panel);n?.classList.add("toured"),document.querySelector("#tour-next")?.focus({preventScroll:!0}),Bc(n?.querySelector(t.target)??document.querySelector(t.target)??n)})}var Dc=12;function Bc(e){let t=document.querySelector(".tour");if(!e||!t)return;document.documentElement.style.setProperty("--bar",`${t.offsetHeight}px`);let{top:n,height:o}=e.getBoundingClientRect(),s=innerHeight-t.offsetHeight;scrollTo({top:Math.max(0,scrollY+n-Math.max(Dc,(s-o)/2)),behavior:eo()})}function Kr(){let e=a.view.tourStop,t=e===null?void 0:gn[e];if(e===null||!t||!k())return m;let n=e===gn.length-1,o=r=>{r.key==="Escape"&&uo()},s=d`<button id="tour-back" @click=${()=>void ho(e-1)}>Back</button>`;return d`<div class="tour" role="dialog" aria-labelledby="tour-title" @keydown=${o}>
    <div class="says" tabindex="0" role="group" aria-label="What this stop shows">
      <h2 id="tour-title">${e+1} of ${gn.length}: ${t.title}</h2>
      <p>${t.text}</p>
    </div>
    <div class="controls">
      <button id="tour-end" @click=${()=>void uo()}>End</button>
      <span>
        ${e?s:m}
        <button id="tour-next" class="primary" @click=${()=>void(n?uo():ho(e+1))}
          >${n?"Done":"Next"}</button
        >
      </span>
    </div>
  </div>`}function Fc(e){let t=document.createElement("textarea"),{activeElement:n}=document;t.value=e,t.className="unseen",document.body.append(t),t.select();let o=!1;try{o=document.execCommand("copy")}catch{}return t.remove(),n?.focus(),o}var mo="Copied.";async function zr(e){let t=!1;try{await navigator.clipboard.writeText(e),t=!0}catch{t=Fc(e)}Bo(t?mo:"The browser does not allow copying here. Select the translation, and copy it with the keyboard.")}var Xr=50,qc=400;async function Jr(e){await E("file",`Translating ${e.name}`,async t=>{let n=await e.text(),o=/\.html?$/i.test(e.name),s=o?[n]:n.split(`
`),r=[];for(let u=0;u<s.length;u+=Xr){let p=s.slice(u,u+Xr),h={...j(),...Le(),texts:p,format:o?"html":"text"},{translations:f}=await _("translate",h,t);f.forEach((b,y)=>{let w=u+y+1;if("error"in b)throw new U(qc,`Line ${w} of ${e.name}: ${b.error.message}`);r.push(b.text)}),Nt("file",`Translating ${e.name}: ${r.length} of ${s.length} lines`)}let[,i,l]=/^(.*?)(\.[^.]*)?$/.exec(e.name),c=`${i}.${T()?.target??"translated"}${l??".txt"}`;Ae(c,r.join(`
`),o?"text/html":"text/plain")})}var jc=300,Uc=[1,2,3,5,8,12],Zr=/<\/?[a-z][^>]*>/i,Yr=0;function Vc(e){let t=L(e);g({request:{text:t,isHtml:a.request.isHtml&&Zr.test(t)},output:{isExample:!1}}),clearTimeout(Yr),Yr=window.setTimeout(()=>{Ue(),a.request.translatesWhileTyping&&Pe()},jc)}function bn(e){g({request:e}),Pe()}function Qr(){N(),Pe()}function Gc(e,t){let{text:n,score:o}=e,s=d`<span class="number">${o.toFixed(3)}</span>`;if(!n)return d`<li><span class="hint">nothing</span> ${s}</li>`;let{compared:r}=a.output,i=r!==null&&Ut(e,r),l=()=>{N(),Qe(e)},c=d`<button
    class="compare"
    aria-pressed=${i}
    @click=${()=>void wt(e)}
    >compare</button
  >`;return d`<li>
    <button class="link" aria-pressed=${n===t.text} @click=${l}><bdi>${n}</bdi></button>
    ${s} ${n===t.text?m:c}
  </li>`}function Kc(){let e=$();if(!e?.isDone)return m;let{nBest:t}=e,n=t.filter(({text:s},r)=>t.findIndex(i=>i.text===s)===r);if(n.length<2)return m;let o=n.length-1;return d`<details class="nbest">
    <summary>${o} other ${o===1?"translation":"translations"}</summary>
    <p class="hint">${x("best","The best translations")}, best first:</p>
    <ol>
      ${n.map(s=>Gc(s,e))}
    </ol>
  </details>`}function zc(){let e=$(),{compared:t}=a.output;if(!e?.isDone||!t)return m;let n=({tokens:r})=>r.reduce((i,l)=>i+(l.log_prob??0),0).toFixed(2),o=t.tokens.map(r=>r.token),s=t.tokens.map(({token:r,log_prob:i},l)=>d`${ro(r,l)}<span
          class="token ${Ke(o,l)}"
          dir="auto"
          title=${et(i)}
          ${A(so(i))}
          >${v(r)}</span
        >`);return d`<div id="compared">
    <p class="hint">
      Beside it, with a log-probability of <span class="strong number">${n(t)}</span> in place of
      <span class="strong number">${n(e)}</span> (the end not counted). Marked words are not in the one above.
    </p>
    <p class="output" dir=${le(t.text)}>${s}</p>
    <p dir="auto">${Te(t.text,e.text)}</p>
  </div>`}function Xc(){return d`<label class="file"
    >Translate a file <input id="file" type="file" accept=".txt,.html,.htm,text/plain,text/html" @change=${t=>{let n=t.target,o=n.files?.[0];o&&Jr(o),n.value=""}}
  /></label>`}function Jc(){let{total:e,longestSentence:t,sentenceLimit:n,truncatedSentences:o}=a.tokenCounts;if(e===null)return m;let s=o===1?"1 sentence is":`${o} sentences are`;return d`<span id="count" class="hint ${o?"warning":""}"
    >${e} ${x("tokens","tokens")}${o?`; ${s} cut`:""}; a sentence may have
    ${n}, the longest has ${t}</span
  >`}function Yc(){let{text:e,temperature:t,seed:n,isHtml:o}=a.request,s=d`<button id="again" @click=${()=>bn({seed:n+1})}>Draw again</button>`,r=d`<label
    ><input
      id="html"
      type="checkbox"
      .checked=${o}
      @change=${i=>bn({isHtml:Ye(i)})}
    />
    as HTML</label
  >`;return d`${t&&e.trim()?s:m} ${Zr.test(e)?r:m}`}function Zc(){let{text:e,translatesWhileTyping:t,beamSize:n,temperature:o}=a.request,s=st("beam",Uc,n,i=>bn({beamSize:i,temperature:0}),"Beam"),r=st("temperature",hn,o,i=>bn({temperature:i}),"Sampling",i=>i||"off");return d`<div class="controls">
    <button class="primary" @click=${Qr} ?disabled=${!e.trim()}>Translate</button>
    ${fn()} ${Yc()}
    <details class="options">
      <summary>Options</summary>
      <div class="controls">
        <label
          ><input
            type="checkbox"
            .checked=${t}
            @change=${i=>g({request:{translatesWhileTyping:Ye(i)}})}
          />
          while typing</label
        >
        <span class="together">${x("beam","Beam")} ${s}</span>
        <span class="together">${x("sampling","Sampling")} ${r}</span>
        ${Xc()} ${Jc()}
      </div>
    </details>
  </div>`}function Qc(){let e=T()?.examples??[];if(!(a.output.isExample||!a.request.text)||!e.length)return m;let n=o=>{N(),g({request:{text:o},output:{isExample:!1}}),Ue(),Pe()};return d`<p class="hint">
    ${a.output.isExample?"An example. Write over it, or take another:":"For example:"}
    ${e.map((o,s)=>o===a.request.text?m:d`<button class="link" title=${o} @click=${()=>n(o)}
        ><span class="whole">${o}</span><span class="short" aria-hidden="true">${s+1}</span></button
      > `)}
  </p>`}function eu(){let{html:e,sentences:t}=a.output;return e?d`<pre class="html">${e}</pre>`:t.length?t.map(tt):d`<p class="hint">
    The translation appears here, token by token. The stronger a token is coloured, the less sure the model was of it.
  </p>`}function tu(){let{html:e,sentences:t}=a.output,n=e!==""||t.length>0&&t.every(i=>i.isDone),o=()=>e||t.map(({separator:i,text:l})=>`${i??""}${l}`).join(""),s=()=>C("translation",["#output","#doubts",".alternatives"],ot,()=>t),r=d`<button id="copy" @click=${()=>void zr(o())}
    >${a.status.notice===mo?"Copied":"Copy"}</button
  >`;return d`${n?r:m} ${t.some(i=>i.isDone)?s():m}`}function nu(){let{sentences:e}=a.output,t=!!a.status.busy.translate,n=q()||t&&e.every(s=>s.isDone),o=d`<p class="hint" id="other-text">
    This is the translation of another text than the one that stands there now.
  </p>`;return d`<div>
    <div class="head">
      <h2>Translation</h2>
      ${tu()}
    </div>
    <div class=${n?"stale":""} aria-busy=${t}>
      <div id="output" aria-live="polite">${eu()}</div>
      ${q()&&!t?o:m} ${e.length?nt():m}
      ${cn(no)} ${Kc()} ${zc()}
    </div>
    ${ln(no)}
  </div>`}function ei(){let e=t=>{on(t)&&Qr()};return d`<section class="panel translate" aria-label="Text and translation">
    <div class="columns">
      <div>
        <div class="head source">
          <h2 id="translate-title">Text</h2>
          ${mn()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="2"
          class=${a.output.isExample?"example":""}
          spellcheck="false"
          aria-label="Text to translate"
          placeholder="Write or paste a text."
          .value=${a.request.text}
          @focus=${t=>{a.output.isExample&&t.target.select()}}
          @input=${Vc}
          @keydown=${e}
        ></textarea>
        ${Zc()} ${Qc()}
      </div>
      ${nu()}
    </div>
  </section>`}var oi="regard-theme";function ou(){let e=document.documentElement,t=matchMedia("(prefers-color-scheme: dark)").matches,o=(e.dataset.theme??(t?"dark":"light"))==="dark"?"light":"dark";e.dataset.theme=o;try{localStorage.setItem(oi,o)}catch{}g({})}function su(){return d`<form class="key" @submit=${t=>{t.preventDefault(),Ho(document.querySelector("#key").value),fo()}}>
    <label>Key <input id="key" type="password" autocomplete="off" /></label> <button>Use it</button>
  </form>`}function ru(){let e=()=>d`${Xs()} ${Ys()}
      <div class="column">${ur()} ${Cs()}</div>
      ${tr()} ${Er()} ${Nr()}`;return a.server.storedPage?d`${Wr()}${e()}`:a.server.models.length?k()?d`${ei()}${e()}${Ir()}`:d`${Ur()}${a.inspection.result?e():m}`:m}var iu=[["#text","Text"],["#output","Translation"],[".alignment","Attention"],[".heads","Heads"],[".without","Without"],[".search","Search"]];function au(){let e=t=>{let n=document.querySelector(t);n&&t!=="#text"&&(n.tabIndex=-1),n?.focus(),n?.scrollIntoView({block:"start"})};return d`<nav class="skips" aria-label="Go to a part of the page">
    ${iu.map(([t,n])=>d`<button class=${t==="#output"?"desk":""} @click=${()=>e(t)}>${n}</button>`)}
  </nav>`}function lu(){return a.server.storedPage?"What the heads look at":k()||!a.server.models.length?"Translate, and look inside while it happens.":"See what a model does with a text."}function cu(){let e=Object.values(a.status.busy).at(-1),t=d`<button id="tour" @click=${()=>void Gr()}>Explain</button>`;return d`<header>
    <h1>Regard</h1>
    <p class="hint">${lu()}</p>
    <span class="said" role="status">${a.status.notice}</span
    ><span class="status" role="status">${e?d`<span class="spinner"></span>${e} …`:m}</span>
    ${k()?t:m} ${a.server.storedPage?m:d`<a href="docs">API</a>`}
    <button class="theme" @click=${ou} aria-label="Light or dark">◐</button>
  </header>`}function uu(){let{error:e,needsApiKey:t}=a.status;if(!e)return m;let n=d`<button @click=${()=>void Hn()}>Try again</button>`;return d`<p class="error" role="alert">${e} ${t?m:n}</p>`}function du(){return d`${au()} ${cu()} ${uu()}
    <main>${a.status.needsApiKey?su():m} ${ru()}</main>
    ${Kr()}`}function xt(){Ko();let e=document.querySelector("#page");e.classList.toggle("busy",Object.keys(a.status.busy).length>0),Po(du(),e)}async function fo(){await ns(),si(),pn(),a.request.text&&a.server.models.length&&(Ue(),await vt())}async function pu(){if(!a.server.models.length||a.status.needsApiKey)return await fo();(q()||!$()||a.output.sentences.some(t=>!t.isDone))&&!(a.output.html&&!q())?a.request.text.trim()&&(Ue(),await vt()):R()||!a.inspection.result?await W():a.heads.disabled.length&&a.heads.ablatedSentence!==a.inspection.sentence?await X():g({})}function hu(){let e=null;try{e=window.frameElement}catch{}if(!e)return;let{style:t}=e,n=()=>{t.height=`${document.documentElement.offsetHeight+4}px`};new ResizeObserver(n).observe(document.documentElement)}function mu(){try{return localStorage.getItem(oi)}catch{return null}}var si=()=>{document.body.dataset.ready="yes"};function fu(){let e=T(),t=Dn();g(t,J()?.tracesSearch?{}:{search:{trace:null,candidate:null}}),g({output:{isExample:!1}}),pn(),co(e),vt()}var ti=mu();ti&&(document.documentElement.dataset.theme=ti);En(xt);En(Uo);addEventListener("resize",xt);matchMedia("(prefers-color-scheme: dark)").addEventListener("change",xt);Object.assign(globalThis,{regard:{state:a,matrixLayout:Ks,unmatchedWords:zo}});var ni=Dr();ni?(hu(),Br(ni).then(()=>{xt(),si()})):(Ft(),Wo(pu),addEventListener("hashchange",fu),xt(),fo());})();
