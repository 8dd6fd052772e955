"use strict";(()=>{var Nn=globalThis,Nt=Nn.trustedTypes,zo=Nt?Nt.createPolicy("lit-html",{createHTML:e=>e}):void 0,In="$lit$",re=`lit$${Math.random().toFixed(9).slice(2)}$`,Wn="?"+re,ua=`<${Wn}>`,Se=document,wt=()=>Se.createComment(""),yt=e=>e===null||typeof e!="object"&&typeof e!="function",Bn=Array.isArray,ts=e=>Bn(e)||typeof e?.[Symbol.iterator]=="function",Ln=`[ 	
\f\r]`,bt=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Jo=/-->/g,Yo=/>/g,ve=RegExp(`>|${Ln}(?:([^\\s"'>=/]+)(${Ln}*=${Ln}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),Zo=/'/g,Qo=/"/g,ns=/^(?:script|style|textarea|title)$/i,Dn=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),u=Dn(1),I=Dn(2),Vd=Dn(3),$t=Symbol.for("lit-noChange"),h=Symbol.for("lit-nothing"),es=new WeakMap,Te=Se.createTreeWalker(Se,129);function os(e,t){if(!Bn(e)||!e.hasOwnProperty("raw"))throw Error("invalid template strings array");return zo!==void 0?zo.createHTML(t):t}var ss=(e,t)=>{let n=e.length-1,o=[],s,r=t===2?"<svg>":t===3?"<math>":"",i=bt;for(let l=0;l<n;l++){let c=e[l],d,p,m=-1,f=0;for(;f<c.length&&(i.lastIndex=f,p=i.exec(c),p!==null);)f=i.lastIndex,i===bt?p[1]==="!--"?i=Jo:p[1]!==void 0?i=Yo:p[2]!==void 0?(ns.test(p[2])&&(s=RegExp("</"+p[2],"g")),i=ve):p[3]!==void 0&&(i=ve):i===ve?p[0]===">"?(i=s??bt,m=-1):p[1]===void 0?m=-2:(m=i.lastIndex-p[2].length,d=p[1],i=p[3]===void 0?ve:p[3]==='"'?Qo:Zo):i===Qo||i===Zo?i=ve:i===Jo||i===Yo?i=bt:(i=ve,s=void 0);let b=i===ve&&e[l+1].startsWith("/>")?" ":"";r+=i===bt?c+ua:m>=0?(o.push(d),c.slice(0,m)+In+c.slice(m)+re+b):c+re+(m===-2?l:b)}return[os(e,r+(e[n]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),o]},xt=class e{constructor({strings:t,_$litType$:n},o){let s;this.parts=[];let r=0,i=0,l=t.length-1,c=this.parts,[d,p]=ss(t,n);if(this.el=e.createElement(d,o),Te.currentNode=this.el.content,n===2||n===3){let m=this.el.content.firstChild;m.replaceWith(...m.childNodes)}for(;(s=Te.nextNode())!==null&&c.length<l;){if(s.nodeType===1){if(s.hasAttributes())for(let m of s.getAttributeNames())if(m.endsWith(In)){let f=p[i++],b=s.getAttribute(m).split(re),w=/([.?@])?(.*)/.exec(f);c.push({type:1,index:r,name:w[2],strings:b,ctor:w[1]==="."?Wt:w[1]==="?"?Bt:w[1]==="@"?Dt:Ae}),s.removeAttribute(m)}else m.startsWith(re)&&(c.push({type:6,index:r}),s.removeAttribute(m));if(ns.test(s.tagName)){let m=s.textContent.split(re),f=m.length-1;if(f>0){s.textContent=Nt?Nt.emptyScript:"";for(let b=0;b<f;b++)s.append(m[b],wt()),Te.nextNode(),c.push({type:2,index:++r});s.append(m[f],wt())}}}else if(s.nodeType===8)if(s.data===Wn)c.push({type:2,index:r});else{let m=-1;for(;(m=s.data.indexOf(re,m+1))!==-1;)c.push({type:7,index:r}),m+=re.length-1}r++}}static createElement(t,n){let o=Se.createElement("template");return o.innerHTML=t,o}};function Re(e,t,n=e,o){if(t===$t)return t;let s=o!==void 0?n._$Co?.[o]:n._$Cl,r=yt(t)?void 0:t._$litDirective$;return s?.constructor!==r&&(s?._$AO?.(!1),r===void 0?s=void 0:(s=new r(e),s._$AT(e,n,o)),o!==void 0?(n._$Co??=[])[o]=s:n._$Cl=s),s!==void 0&&(t=Re(e,s._$AS(e,t.values),s,o)),t}var It=class{constructor(t,n){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:n},parts:o}=this._$AD,s=(t?.creationScope??Se).importNode(n,!0);Te.currentNode=s;let r=Te.nextNode(),i=0,l=0,c=o[0];for(;c!==void 0;){if(i===c.index){let d;c.type===2?d=new We(r,r.nextSibling,this,t):c.type===1?d=new c.ctor(r,c.name,c.strings,this,t):c.type===6&&(d=new Ft(r,this,t)),this._$AV.push(d),c=o[++l]}i!==c?.index&&(r=Te.nextNode(),i++)}return Te.currentNode=Se,s}p(t){let n=0;for(let o of this._$AV)o!==void 0&&(o.strings!==void 0?(o._$AI(t,o,n),n+=o.strings.length-2):o._$AI(t[n])),n++}},We=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,n,o,s){this.type=2,this._$AH=h,this._$AN=void 0,this._$AA=t,this._$AB=n,this._$AM=o,this.options=s,this._$Cv=s?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,n=this._$AM;return n!==void 0&&t?.nodeType===11&&(t=n.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,n=this){t=Re(this,t,n),yt(t)?t===h||t==null||t===""?(this._$AH!==h&&this._$AR(),this._$AH=h):t!==this._$AH&&t!==$t&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):ts(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==h&&yt(this._$AH)?this._$AA.nextSibling.data=t:this.T(Se.createTextNode(t)),this._$AH=t}$(t){let{values:n,_$litType$:o}=t,s=typeof o=="number"?this._$AC(t):(o.el===void 0&&(o.el=xt.createElement(os(o.h,o.h[0]),this.options)),o);if(this._$AH?._$AD===s)this._$AH.p(n);else{let r=new It(s,this),i=r.u(this.options);r.p(n),this.T(i),this._$AH=r}}_$AC(t){let n=es.get(t.strings);return n===void 0&&es.set(t.strings,n=new xt(t)),n}k(t){Bn(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,o,s=0;for(let r of t)s===n.length?n.push(o=new e(this.O(wt()),this.O(wt()),this,this.options)):o=n[s],o._$AI(r),s++;s<n.length&&(this._$AR(o&&o._$AB.nextSibling,s),n.length=s)}_$AR(t=this._$AA.nextSibling,n){for(this._$AP?.(!1,!0,n);t!==this._$AB;){let o=t.nextSibling;t.remove(),t=o}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},Ae=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,n,o,s,r){this.type=1,this._$AH=h,this._$AN=void 0,this.element=t,this.name=n,this._$AM=s,this.options=r,o.length>2||o[0]!==""||o[1]!==""?(this._$AH=Array(o.length-1).fill(new String),this.strings=o):this._$AH=h}_$AI(t,n=this,o,s){let r=this.strings,i=!1;if(r===void 0)t=Re(this,t,n,0),i=!yt(t)||t!==this._$AH&&t!==$t,i&&(this._$AH=t);else{let l=t,c,d;for(t=r[0],c=0;c<r.length-1;c++)d=Re(this,l[o+c],n,c),d===$t&&(d=this._$AH[c]),i||=!yt(d)||d!==this._$AH[c],d===h?t=h:t!==h&&(t+=(d??"")+r[c+1]),this._$AH[c]=d}i&&!s&&this.j(t)}j(t){t===h?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},Wt=class extends Ae{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===h?void 0:t}},Bt=class extends Ae{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==h)}},Dt=class extends Ae{constructor(t,n,o,s,r){super(t,n,o,s,r),this.type=5}_$AI(t,n=this){if((t=Re(this,t,n,0)??h)===$t)return;let o=this._$AH,s=t===h&&o!==h||t.capture!==o.capture||t.once!==o.once||t.passive!==o.passive,r=t!==h&&(o===h||s);s&&this.element.removeEventListener(this.name,this,o),r&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},Ft=class{constructor(t,n,o){this.element=t,this.type=6,this._$AN=void 0,this._$AM=n,this.options=o}get _$AU(){return this._$AM._$AU}_$AI(t){Re(this,t)}},rs={M:In,P:re,A:Wn,C:1,L:ss,R:It,D:ts,V:Re,I:We,H:Ae,N:Bt,U:Dt,B:Wt,F:Ft},da=Nn.litHtmlPolyfillSupport;da?.(xt,We),(Nn.litHtmlVersions??=[]).push("3.3.1");var is=(e,t,n)=>{let o=n?.renderBefore??t,s=o._$litPart$;if(s===void 0){let r=n?.renderBefore??null;o._$litPart$=s=new We(t.insertBefore(wt(),r),r,void 0,n??{})}return s._$AI(e),s};var kt={temperature:1,isScaled:!0,isMasked:!0},qt=({temperature:e,isScaled:t,isMasked:n})=>e===1&&t&&n;function Fn({scores:e,bias:t,allowed:n,factor:o},{temperature:s,isScaled:r,isMasked:i}){let l=e.map((w,y)=>(r?w:w/o)+t[y]),c=l.map((w,y)=>y).filter(w=>n[w]||!i);c.sort((w,y)=>l[y]-l[w]);let d=l[c[0]]??0,p=l.map(()=>0);for(let w of c)p[w]=Math.exp((l[w]-d)/s);let m=p.reduce((w,y)=>w+y,0),f=p.map(w=>w/m),b=f.reduce((w,y)=>w-(y?y*Math.log(y):0),0);return{keys:c,scores:l,exponentials:p,highest:d,total:m,weights:f,entropy:b}}var as={result:null,sentence:null,flow:null,lookup:null,writes:null,stream:null,next:null,experiment:null,snapshot:null},Vn=()=>({server:{models:[],storedPage:null},request:{modelName:"",text:"",isHtml:!1,beamSize:5,temperature:0,seed:0,maxTokens:50,translatesWhileTyping:!0},tokenCounts:{total:null,longestSentence:0,sentenceLimit:0,truncatedSentences:0},output:{sourceText:"",sentences:[],html:"",compared:null,isExample:!1,attribution:null},view:{sentenceIndex:0,outputPosition:0,inputPosition:null,keyPosition:null,head:"",rowShare:.9,groupsWords:!1,hidesOtherRows:!1,showsComputation:!1,isPlaying:!1,tourStop:null,hoveredToken:null},trial:{softmax:kt,sampling:{isOpen:!1,temperature:1,topK:0,topP:1}},inspection:{...as},heads:{disabled:[],undoStack:[],sortBy:"place",importance:null,importanceByToken:{},ablation:null,ablatedSentence:null},search:{trace:null,candidate:null},status:{busy:{},error:"",needsApiKey:!1,notice:""}}),a=Vn(),jn={output:{compared:null,attribution:null},inspection:as,heads:{ablation:null,ablatedSentence:null,importance:null},search:{trace:null,candidate:null},view:{hoveredToken:null}},Vt=[{output:{sentences:[],sourceText:"",html:""}},jn],ls=[],qn=!1;function Un(e){ls.push(e)}function Ee(e){for(let[t,n]of Object.entries(e))Object.assign(a[t],n)}function g(...e){e.forEach(Ee),!qn&&(qn=!0,requestAnimationFrame(()=>{qn=!1;for(let t of ls)t()}))}var C="flow.",q="mean.",pe=["rollout","gradient","integrated-gradients"],Be=e=>e.direction??e.name??"",T=()=>a.server.models.find(e=>Be(e)===a.request.modelName),x=()=>a.output.sentences[a.view.sentenceIndex],S=()=>!a.server.storedPage&&T()?.direction!==void 0,Y=()=>S()||!a.server.storedPage&&T()?.arch==="decoder";function Z(){let e=T();return!a.server.storedPage&&a.inspection.snapshot===null&&e!==void 0&&e.arch!=="rnn"}var V=()=>a.output.sourceText!==""&&a.output.sourceText!==a.request.text,W=()=>a.inspection.result!==null&&a.inspection.sentence!==(x()??null),B=()=>W()||V();function Pe(e=a.inspection.sentence){let t=(e?.tokens??[]).map(o=>o.token);if(!S())return t.slice(1);let n=a.inspection.result?.tokens.cross?.rows.spelled??[];return[...t,n.length>t.length?n.at(-1):"</s>"]}var Gn=e=>e!=="encoder"||a.inspection.result?.target===null;var P=e=>e.split(".").slice(0,2).join("."),Kn=()=>a.inspection.result?[...a.inspection.result.weights.keys()]:[],cs=(e,t)=>e[(t+e.length)%e.length];function De(e){let t=Kn(),n=cs(t,t.indexOf(a.view.head)+e);n&&g({view:{head:n}})}function Fe(e){let t=[...new Set(Kn().map(P))],n=cs(t,t.indexOf(P(a.view.head))+e),o=Kn().find(s=>P(s)===n);o&&g({view:{head:o}})}function jt(){let e=a.inspection.result?.alignment;if(!e)return;let t=e.split(".").length===3;return{head:t?e:`${q}${e}`,isOfModel:t}}function ie(){let e=jt();if(e?.isOfModel)return e.head;let t=a.inspection.result?.heads??[],n=t.filter(i=>i.head.startsWith("cross.")),o=n.length?n:t,s=o.filter(i=>i.label!=="sink"),[r]=[...s.length?s:o].sort((i,l)=>l.confidence-i.confidence);return r?.head??"mean"}var pa={"previous token":"mostly the token before","next token":"mostly the next token",diagonal:"mostly in step, from first to last","same token":"mostly the same token",induction:"mostly what came next the last time",sink:"mostly one symbol",alignment:"mostly the words that it translates",positional:"mostly at one distance"};function Ut(e){let[t,n]=e.split(".");return`${a.inspection.result?.target!=null&&t==="encoder"?"Encoder layer":"Layer"} ${n}`}var Xn=e=>`${Ut(P(e))}, head ${e.split(".")[2]} (${e})`;function Gt(e){let n=e.startsWith("decoder.")&&a.inspection.result?.target!=null?"what is written":"the text",o=pa[a.inspection.result?.heads.find(s=>s.head===e)?.label??""];return`${Xn(e)}: reads ${n}${o?`, ${o}`:""}`}var qe=5;function U(){let e=T();return e?e.direction?{source:e.source,target:e.target}:{model:e.name}:{}}var Ve=()=>a.request.temperature?{method:"sample",temperature:a.request.temperature,seed:a.request.seed}:{beam_size:a.request.beamSize},je=e=>S()?{...U(),text:e.source,target_ids:e.ids}:{model:T().name,text:e.text,...e.ids.length?{ids:e.ids}:{}},Kt=({decoding:e,prefix:t,index:n})=>({...e,...t?{prefix:t}:{},index:n});var G=class extends Error{constructor(n,o){super(o);this.status=n}},Xt=0,ha=410,us="regard-key",ma=255;async function ds(){try{return(await fetch("health")).ok}catch{return!1}}var ps=e=>sessionStorage.setItem(us,e);function fa(e){let t=sessionStorage.getItem(us);return{...t?{Authorization:`Bearer ${t}`}:{},...e===void 0?{}:{"Content-Type":"application/json"}}}async function zn(e,t,n){let o={method:t===void 0?"GET":"POST",headers:fa(t),signal:n??null,body:t===void 0?null:JSON.stringify(t)},s;try{s=await fetch(e.startsWith("v1/")?e:`api/v1/${e}`,o)}catch(r){throw n?.aborted?r:new G(Xt,"The server does not answer. Is it still running?")}if(!s.ok){let r=await s.json().catch(()=>({}));throw new G(s.status,r.error?.message??`The server answered ${s.status}.`)}return s}async function O(e,t,n){return await(await zn(e,t,n)).json()}async function*hs(e,t){let o=(await zn("stream",e,t)).body.pipeThrough(new TextDecoderStream).getReader(),s="";for(;;){let{value:r,done:i}=await o.read().catch(c=>{throw t.aborted?c:new G(Xt,"The server went away while it was answering. Is it still running?")});if(i)return;let l=(s+r).split(`

`);s=l.pop()??"";for(let c of l){let[d,p]=c.split(`
`);yield{name:d.slice(7),data:JSON.parse(p.slice(6))}}}}async function vt(e,t,n){try{return await O(`inspect/${e.id}/${t}`,void 0,n)}catch(o){if(!(o instanceof G)||o.status!==ha)throw o;return e.id=(await O("inspect",e.request,n)).id,await O(`inspect/${e.id}/${t}`,void 0,n)}}async function ga(e,t,n){let o=await zn(`inspect/${e}/attention/${t}`,void 0,n),{headers:s}=o,r=new Uint8Array(await o.arrayBuffer()),[,i,l]=s.get("X-Shape").split(",").map(Number),c=Number(s.get("X-Scale"));return s.get("X-Heads").split(",").map((p,m)=>{let f=r.subarray(m*i*l,(m+1)*i*l);return[p,{rows:i,keys:l,values:f,scale:c,forbidden:ma}]})}async function Ue(e,t){let n=T()?.arch!=="rnn",o=await O("inspect",{...e,lens:n},t),s=Object.keys(o.tokens),r=await Promise.all(s.map(i=>ga(o.id,i,t)));return{...o,request:e,weights:new Map(r.flat())}}var ba=403,wa=2e3,ya=4e3,Me=new Map;async function E(e,t,n){Me.get(e)?.abort();let o=new AbortController;Me.set(e,o),e==="translate"&&xa(),t&&g({status:{busy:{...a.status.busy,[e]:t},error:""}});try{return await n(o.signal),!o.signal.aborted}catch(s){return o.signal.aborted||$a(s),!1}finally{Me.get(e)===o&&ms(e)}}function zt(e,t){g({status:{busy:{...a.status.busy,[e]:t}}})}function $a(e){let t=e instanceof G?e.status:void 0,n=e instanceof Error?e.message:String(e);g({status:{error:n,needsApiKey:t===ba}}),t===Xt&&bs()}function xa(){let e=document.querySelector(".translate, .named");e&&!e.style.minHeight&&(e.style.minHeight=`${e.offsetHeight}px`)}function ka(){let e=document.querySelector(".translate, .named");e&&(e.style.minHeight="")}function ms(e){Me.delete(e),e==="translate"&&Ge(()=>{Me.has(e)||ka()}),g({status:{busy:Object.fromEntries(Object.entries(a.status.busy).filter(([t])=>t!==e))}})}function Ge(e){requestAnimationFrame(()=>requestAnimationFrame(e))}var Jn=0,fs=()=>Promise.resolve();function gs(e){fs=e}function bs(){clearTimeout(Jn),Jn=window.setTimeout(()=>{ds().then(e=>{e?Yn():a.status.error&&bs()})},wa)}async function Yn(){clearTimeout(Jn),g({status:{error:"",needsApiKey:!1}}),await fs()}function ws(e){g({status:{notice:e}}),setTimeout(()=>{a.status.notice===e&&g({status:{notice:""}})},ya)}var Tt=e=>Me.has(e);function _e(e){Me.get(e)?.abort(),ms(e)}var va=50;async function Ke(e){let{disabled:t}=a.heads,n=e.every(o=>t.includes(o));await ae(n?t.filter(o=>!e.includes(o)):[...new Set([...t,...e])])}async function ae(e){let{undoStack:t,disabled:n}=a.heads;g({heads:{disabled:e,undoStack:[...t,n].slice(-va)}}),await Q()}async function ys(){let{undoStack:e}=a.heads;g({heads:{disabled:e.at(-1)??[],undoStack:e.slice(0,-1)}}),await Q()}async function Q(){let{sentence:e}=a.inspection;if(!a.heads.disabled.length)return _e("ablate"),g({heads:{ablation:null,ablatedSentence:null}});!e?.isDone||!Z()||W()||await E("ablate","Running without heads",async t=>{let n=S()?Kt(e):{prompt:e.source,...e.decoding},o={...je(e),heads:a.heads.disabled,together:!0,...n},{ablations:s=[],predicted:r}=await O("ablate",o,t),[i]=s;g({heads:{ablation:i?{...i,predicted:r}:null,ablatedSentence:e}})})}async function Xe(){let{result:e,sentence:t}=a.inspection;if(!t?.isDone||!e||W())return;let n=[...e.weights.keys()],o=[...new Set(n.map(P))];await E("rank","Taking each head away",async s=>{let r={},i={};for(let[l,c]of o.entries()){let d=n.filter(m=>P(m)===c),p=await O("ablate",{...je(t),sweep:!0,heads:d},s);if(a.inspection.result!==e)return;r={...r,...p.worth},i={...i,...p.by_token},g({heads:{importance:r,importanceByToken:i}}),zt("rank",`Taking each head away: ${l+1} of ${o.length} layers`)}g({heads:{sortBy:"worth"}})}),a.status.error&&a.inspection.result===e&&g({heads:{importance:null,importanceByToken:{}}})}var Zt=null,ee=()=>Zt;function Je(){Zt=null}var Ta=()=>({edits:a.output.sentences.flatMap(({edit:e},t)=>e?[{sentenceIndex:t,edit:e}]:[]),snapshot:a.inspection.snapshot,compared:a.output.compared,tracesSearch:a.search.trace!==null&&a.search.trace.source===x()?.source,ranksHeads:a.heads.importance!==null}),Sa=16,Ra=1e3,Aa=5,Ea=1e9,Jt=e=>e==="true",ze=(e,t,n=!0)=>o=>{let s=Number(o);return o.trim()!==""&&s>=e&&s<=t&&(!n||Number.isInteger(s))?s:void 0},Yt=ze(0,Ea),$s=e=>/^(encoder|decoder|cross)\.\d{1,9}\.\d{1,9}$/.test(e),Pa=e=>e==="mean"||/^mean\.[a-z]+\.\d{1,9}$/.test(e),Ma=e=>pe.some(t=>e===`${C}${t}`),_a=e=>$s(e)||Pa(e)||Ma(e)?e:void 0,Oa=e=>e.split(",").filter($s),N=(e,t,n)=>({group:e,field:t,parse:n}),eo={direction:N("request","modelName",String),text:N("request","text",String),beam:N("request","beamSize",ze(1,Sa)),temperature:N("request","temperature",ze(0,Aa,!1)),seed:N("request","seed",ze(0,Number.MAX_SAFE_INTEGER)),length:N("request","maxTokens",ze(1,Ra)),at:N("view","sentenceIndex",Yt),step:N("view","outputPosition",Yt),source:N("view","inputPosition",Yt),key:N("view","keyPosition",Yt),head:N("view","head",_a),share:N("view","rowShare",ze(.1,1,!1)),words:N("view","groupsWords",Jt),alone:N("view","hidesOtherRows",Jt),isExplained:N("view","showsComputation",Jt),isHtml:N("request","isHtml",Jt),sortBy:N("heads","sortBy",String),off:N("heads","disabled",Oa)},Ca=["direction","text","beam","temperature","seed","length","at","off","isHtml"],to=(e,{group:t,field:n})=>e[t][n]??null,xs=Vn(),Zn=!1;function D(){Zn=!0}function Ha(e){let t=!a.request.translatesWhileTyping&&!a.status.busy.translate&&!a.status.error;return e==="text"&&V()&&t?a.output.sourceText:to(a,eo[e])}var La=({sentenceIndex:e,edit:t})=>t.kind==="prefix"?[e,t.position,t.prefix,t.token,[]]:[e,null,t.text,"",t.ids];function Na(){let{edits:e,snapshot:t,compared:n,tracesSearch:o,ranksHeads:s}=Zt??Ta();return[["edits",e.length?JSON.stringify(e.map(La)):null],["compared",n&&JSON.stringify([n.text,n.ids])],["snapshot",t===null?null:String(t)],["searched",o?"true":null],["ranked",s?"true":null]].filter(i=>i[1]!==null)}var Ia=e=>e==="text"||e==="direction"||e==="head"&&a.view.head===ie();function ks(){let{storedPage:e}=a.server,t=new URLSearchParams;for(let[s,r]of Object.entries(eo)){let i=Ha(s);e&&Ca.includes(s)||i===null||i===to(xs,r)||String(i)===""||t.set(s,String(i))}if(!e){for(let[r,i]of Na())t.set(r,i);let s=[...a.request.text.trim().split(`
`)[0]].slice(0,60).join("");document.title=s?`${s} · Regard`:"Regard"}let o=`#${a.output.isExample&&[...t.keys()].every(Ia)?"":t}`;o===(location.hash||"#")||location.protocol==="about:"||(Zn?history.pushState(null,"",o):history.replaceState(null,"",o),Zn=!1)}var Qn=e=>Number.isSafeInteger(e)&&e>=0,vs=e=>Array.isArray(e)?e.filter(Qn):[];function Ts(e){try{return JSON.parse(e??"null")}catch{return null}}function Wa(e){if(!Array.isArray(e))return[];let[t,n,o,s,r]=e;return!Qn(t)||typeof o!="string"?[]:n===null?[{sentenceIndex:t,edit:{kind:"translation",text:o,ids:vs(r)}}]:Qn(n)?[{sentenceIndex:t,edit:{kind:"prefix",position:n,prefix:o,token:typeof s=="string"?s:""}}]:[]}function Ba(e){let t=Ts(e);return Array.isArray(t)?t.flatMap(Wa):[]}function Da(e){let t=Ts(e);return Array.isArray(t)&&typeof t[0]=="string"?{text:t[0],ids:vs(t[1])}:e?{text:e,ids:[]}:null}function no(){let e=new URLSearchParams(location.hash.slice(1)),t={};for(let[o,s]of Object.entries(eo)){let r=e.get(o),i=r?s.parse(r):void 0;i===void 0&&o==="direction"||((t[s.group]??={})[s.field]=i??to(xs,s))}let n=Number(e.get("snapshot")??NaN);return Zt={edits:Ba(e.get("edits")),snapshot:n>=0?n:null,compared:Da(e.get("compared")),tracesSearch:e.has("searched"),ranksHeads:e.has("ranked")},t}var Qt=()=>Ee(no());var oo=new Map,Ss=()=>oo.clear();function K(e){let t=oo.get(e);if(t)return t;let n=getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim(),o=[1,3,5].map(s=>parseInt(n.slice(s,s+2),16));return oo.set(e,o),o}var he=(e,t)=>`rgba(${K(e).join(", ")}, ${t.toFixed(3)})`,X=e=>getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim();var Fa=/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u,qa=new RegExp(String.raw`\s+|${Fa.source}|[\p{L}\p{M}\p{N}]+|.`,"gu"),Va=4e6,Oe=e=>[...e.matchAll(qa)].map(({0:t,index:n})=>({text:t,begin:n}));function en(e,t){let n=p=>p.map(m=>m.text).filter(m=>m.trim()),o=n(e),s=n(t),r=Math.min(o.length,s.length),i=0,l=0;for(;i<r&&o[i]===s[i];)i++;for(;l<r-i&&o.at(-1-l)===s.at(-1-l);)l++;let c=ja(o.slice(i,o.length-l),s.slice(i,s.length-l)),d=(p,m,f)=>{let b=new Set(c.map(y=>y[m]+i)),w=-1;return p.map(y=>y.text.trim()!==""&&++w>=i&&w<f-l&&!b.has(w))};return[d(e,0,o.length),d(t,1,s.length)]}function ja(e,t){let n=[],o=t.length+1;if(e.length*t.length>Va)return n;let s=new Uint32Array((e.length+1)*o),r=(i,l)=>s[i*o+l];for(let i=e.length-1;i>=0;i--)for(let l=t.length-1;l>=0;l--){let c=e[i]===t[l];s[i*o+l]=c?r(i+1,l+1)+1:Math.max(r(i+1,l),r(i,l+1))}for(let i=0,l=0;i<e.length&&l<t.length;)e[i]===t[l]?n.push([i++,l++]):r(i+1,l)>=r(i,l+1)?i++:l++;return n}function Rs(e,t){let n=[Oe(e),Oe(t)],o=en(...n),s=r=>n[r].filter((i,l)=>o[r][l]).map(i=>i.text);return[s(0),s(1)]}var Ye=e=>JSON.stringify([a.request.modelName,e.source,a.request.beamSize,e.prefix]);async function me(){let e=x();e?.isDone&&await E("search","Searching",async t=>{let n=Ye(e),o={...U(),text:e.source,beam_size:a.request.beamSize,trace:!0,split:!1,...e.prefix?{prefix:e.prefix}:{}},s=await O("translate",o,t),r=x();r&&Ye(r)===n&&g({search:{trace:{...s,requestKey:n,source:e.source},candidate:null}})})}function Ua(e,{weights:t}){return e==="mean"||t.has(e)||pe.some(n=>e===`${C}${n}`)?!0:[...t.keys()].some(n=>e===`${q}${P(n)}`)}function St(e,t,n=null){let{head:o,outputPosition:s}=a.view,r=a.heads.disabled.filter(i=>e.weights.has(i));Ee({inspection:{result:e}}),g({inspection:{result:e,sentence:t,snapshot:n},heads:{disabled:r,importance:null,importanceByToken:{}},view:{head:Ua(o,e)?o:ie(),outputPosition:Math.max(0,Math.min(s,t.tokens.length-1))}},r.length?{}:{heads:{ablation:null,ablatedSentence:null}}),a.view.head.startsWith(C)&&te(a.view.head)}async function F(){let e=x();if(!e?.isDone||!e.text||!S()||(await E("inspect","Looking inside",async n=>{St(await Ue(je(e),n),e)}),W()))return;a.heads.disabled.length&&await Q();let{trace:t}=a.search;t?.source===e.source&&t.requestKey!==Ye(e)&&await me()}async function tn(e){let t=x();!t?.isDone||!t.text||(g({inspection:{snapshot:e}}),await E("inspect","Loading a snapshot",async n=>{let o={...je(t),snapshot:e,...Kt(t)};St(await Ue(o,n),t,e)}))}async function te(e){let t=a.inspection.result;if(!e.startsWith(C)||!t)return g({view:{head:e},inspection:{flow:null}});await E("flow","Following the layers",async n=>{let o=await vt(t,`flow/${e.slice(C.length)}`,n);a.inspection.result===t&&g({view:{head:e},inspection:{flow:{...o,inspection:t}}})})}var As="";function Ms(e){let{result:t,lookup:n}=a.inspection,{head:o,showsComputation:s}=a.view;if(!t?.weights.has(o)||!s||W())return;let r=ro(e),i=As===r&&(Tt("lookup")||a.status.error!=="");n?.cell===r||i||(As=r,E("lookup","",async l=>{let c=await vt(t,`lookup/${o}/${e.row}/${e.key}`,l);g({inspection:{lookup:{result:c,view:e,cell:r}}})}))}var Ze=()=>T()?.no_parts??"",Es={writes:"",stream:"",next:""};function so(e,t,n,o){let{result:s}=a.inspection;if(!s||W())return;let r=Es[e]===t&&(Tt(e)||a.status.error!=="");a.inspection[e]?.cell===t||r||(Es[e]=t,E(e,"",async i=>{o(await vt(s,n,i))}))}function _s(e){let{head:t}=a.view;if(!a.inspection.result?.weights.has(t)||Ze())return;let n=fe(e.row,t);so("writes",n,`writes/${t}/${e.row}`,o=>{g({inspection:{writes:{result:o,view:e,cell:n}}})})}function Os(e){let t=fe(e);Ze()||so("stream",t,`stream/${e}`,n=>{g({inspection:{stream:{result:n,cell:t}}})})}function Cs(e){let{temperature:t,topK:n,topP:o}=a.trial.sampling,s=`temperature=${t}&top_k=${n}&top_p=${o}`,r=fe(e,s);return so("next",r,`next/${e}?${s}`,i=>{g({inspection:{next:{result:i,cell:r}}})}),r}async function Hs(e,t){let{result:n}=a.inspection;!n||W()||await E("experiment","Trying",async o=>{let s=`experiment/${e}?seed=${t}`,r=await vt(n,s,o);g({inspection:{experiment:{result:r,inspection:n}}})})}var Ga=0,Ps=new WeakMap;function fe(e,t=""){let n=a.inspection.result,o=Ps.get(n)??++Ga;return Ps.set(n,o),`${o}/${t}/${e}`}var ro=({row:e,key:t})=>`${fe(e,a.view.head)}/${t}`;async function Ls(){await E("models","",async e=>{let{models:t}=await O("models",void 0,e),[n]=t;if(!n)throw new Error("The server has no model.");let o=t.some(s=>Be(s)===a.request.modelName);g({server:{models:t},request:{modelName:o?a.request.modelName:Be(n)},status:{error:"",needsApiKey:!1}})})}async function Qe(){await E("count","",async e=>{if(!a.request.text.trim()||!S())return g({tokenCounts:{total:null}});let t={...U(),text:a.request.text},n=await O("tokenize",t,e),o=n.sentences.map(s=>s.tokens.length);g({tokenCounts:{total:o.reduce((s,r)=>s+r,0),longestSentence:Math.max(0,...o),sentenceLimit:n.max_tokens,truncatedSentences:n.num_cut}})})}var et=()=>({source:"",text:"",tokens:[],ids:[],score:0,nBest:[],decoding:{},index:0,prefix:"",original:null,edit:null,isDone:!1});function io(e,t){e.tokens=t.tokens.map((n,o)=>({token:n,log_prob:t.token_log_probs[o],alternatives:t.alternatives?.[o]??e.tokens[o]?.alternatives??[]}))}var z=e=>e.join("").replaceAll("▁"," ").trimStart(),nn=(e,t)=>e.text===t.text&&String(e.ids)===String(t.ids),tt=e=>/^<[^<>]+>$/.test(e);function Ce(e,t,n="inserted"){let o=Oe(e),[s]=en(o,Oe(t)),r=i=>n==="deleted"?u`<del>${i}</del>`:u`<mark>${i}</mark>`;return u`${o.map((i,l)=>s[l]?r(i.text):i.text)}`}var Ns=e=>tt(e)?`
`:e.replaceAll("▁"," ");function ao({tokens:e,original:t}){if(!t)return e.map(()=>!1);let n=e.map(i=>Ns(i.token)),o=Oe(n.join("")),[s]=en(o,Oe(t.tokens.map(i=>Ns(i.token)).join(""))),r=0;return n.map(i=>{let l=r;r+=i.length;let c=d=>d.begin<r&&d.begin+d.text.length>l;return o.some((d,p)=>s[p]&&c(d))})}var $=e=>e.replace(/^▁/,"").replaceAll("▁","␣")||"␣",Ka=/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u,ge=e=>Ka.test(/\p{Letter}/u.exec(e)?.[0]??"")?"rtl":"ltr",Xa=/[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mongolian}]/u,za=[/[\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb]/u,/[\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef]/u];function Is(e="",t=""){let n=/(.)\p{M}*$/u.exec(e)?.[1]??"",o=/^./u.exec(t)?.[0]??"",s=r=>Xa.test(r)&&/\p{L}/u.test(r);return s(n)&&s(o)&&!za.some(r=>r.test(n))&&o!=="ء"}function nt(e,t){let n=Is(e[t-1],e[t])?["joins-before"]:[],o=Is(e[t],e[t+1])?["joins-after"]:[];return[...n,...o].join(" ")}var oe=(e,t,n)=>e.values[t*e.keys+n]===e.forbidden;function be(e,t,n){let o=e.values[t*e.keys+n];return o===e.forbidden?0:o/e.scale}var ot=(e,t)=>Array.from({length:e.keys},(n,o)=>be(e,t,o));function on(e,t){let n=e.map((i,l)=>l).sort((i,l)=>e[l]-e[i]),o=new Set,s=e.reduce((i,l)=>i+l,0),r=0;for(let i of n){if(e[i]===0||r>=t*s&&t<1)break;o.add(i),r+=e[i]}return o}var lo=(e,t)=>({rows:e,keys:t,values:new Float32Array(e*t),scale:1,forbidden:-1});function Ws(e){let t=lo(e.length,e[0]?.length??0);return t.values.set(e.flat().map(n=>n??t.forbidden)),t}function Bs(e){let[t]=e,n=lo(t.rows,t.keys);for(let{values:o,scale:s,forbidden:r}of e)for(let i=0;i<o.length;i++)n.values[i]+=o[i]===r?0:o[i]/s/e.length;for(let o=0;o<t.values.length;o++)t.values[o]===t.forbidden&&(n.values[o]=n.forbidden);return n}function Ds(e){let t=[];return e.words.forEach((n,o)=>{n!==null&&o>0&&e.words[o-1]===n?t.at(-1).push(o):t.push([o])}),t}function Fs(e,t,n){let o=lo(t.length,n.length);return t.forEach((s,r)=>{n.forEach((i,l)=>{let c=s.every(m=>i.every(f=>oe(e,m,f))),d=m=>i.reduce((f,b)=>f+be(e,m,b),0),p=s.reduce((m,f)=>m+d(f),0);o.values[r*n.length+l]=c?o.forbidden:p/s.length})}),o}var Ks=new WeakMap,Xs=e=>Ks.get(e);function zs(e){let t=new OffscreenCanvas(e.width,e.height);return t.getContext("2d").putImageData(e,0,0),Ks.set(t,e),t}var qs=new WeakMap;function Js(e,t){let n=qs.get(e)??new Map,o=[t,...K("paper"),...K("heat")].join(" "),s=n.get(o)??Ja(e,t);return qs.set(e,n.set(o,s)),s}function uo(e,t,n,o,s){for(let r=0;r<3;r++)e.data[4*t+r]=n[r]+s*(o[r]-n[r]);e.data[4*t+3]=255}function Ja(e,t){let n=Math.min(e.rows,t),o=Math.min(e.keys,t),s=new Float32Array(o*n).fill(-1);for(let d=0;d<e.rows;d++)for(let p=0;p<e.keys;p++){if(oe(e,d,p))continue;let m=Math.floor(d*n/e.rows)*o+Math.floor(p*o/e.keys);s[m]=Math.max(s[m],be(e,d,p))}let r=new ImageData(o,n),[i,l,c]=[K("paper"),K("heat"),K("forbidden")];return s.forEach((d,p)=>{d<0?uo(r,p,c,c,1):uo(r,p,i,l,d)}),zs(r)}var Ya={path:"",stroke:"none",thickness:0},po=new WeakMap,Ys=e=>po.get(e);function Zs(e,t){po.set(e,{image:t,left:0,top:0,width:0,height:0,isMirrored:!1,labels:[],frames:[],hatching:Ya}),e.width=t.width,e.height=t.height,e.getContext("2d").drawImage(t,0,0)}function Qs(e,t,n){Zs(e,Js(t,n))}function er(e,t,n){let o=new ImageData(n,t.length),s=Math.max(...t.flat().map(Math.abs),1e-9);t.forEach((r,i)=>{r.forEach((l,c)=>{let d=K(l<0?"less":"more");uo(o,i*n+c,K("paper"),d,Math.abs(l)/s)})}),Zs(e,zs(o))}var Za=14,Qa=120,Vs=10,js=44,el=60,tl=800,nl=640,ol=1.2,co=6,sn="13px system-ui, sans-serif";function Us(e,t,n){let o=s=>e.measureText(s).width;return t.map(s=>{let r=[...$(s)];if(o(r.join(""))<=n)return r.join("");for(;r.length>1&&o(`${r.join("")}…`)>n;)r.pop();return`${r.join("")}…`})}function Gs(e,t,n){let o=Math.max(Math.ceil(Za/t),1);return Array.from({length:e},(s,r)=>r).filter(s=>s===n||s%o===0&&Math.abs(s-n)>=o)}function sl(e,t,n){let{weights:o,rows:s,keys:r,chosen:i,isMirrored:l}=t;e.font=sn;let c=Math.min(Qa,n*.25),d=Us(e,s,c),p=Us(e,r,c),m=L=>Math.max(...L.map(de=>e.measureText(de).width)),f=m(d)+Vs,b=m(p)+Vs,w=n>tl?el:js,y=Math.max(nl*w/js/s.length,2*co),v=Math.max(ol,Math.min(w,(n-f-2)/r.length,y)),R=v>=co?Math.floor(v):v,M=R*r.length,xe=R*s.length,ft=L=>f+R*(l?r.length-1-L:L),Hn={rows:Gs(s.length,R,i.row),keys:Gs(r.length,R,i.key)},Ko=L=>X(L?"accent":"ink"),sa=[...Hn.rows.map(L=>({text:d[L],x:f-6,y:b+R*(L+.5),isVertical:!1,fill:Ko(L===i.row)})),...Hn.keys.map(L=>({text:p[L],x:ft(L)+.5*R,y:b-6,isVertical:!0,fill:Ko(L===i.key)}))],Xo={stroke:X("accent"),thickness:1.5},ra=[{x:f-.5,y:b-.5,width:M+1,height:xe+1,stroke:X("line"),thickness:1},{x:f,y:b+R*i.row,width:M,height:R,...Xo},{x:ft(i.key),y:b,width:R,height:xe,...Xo}],ia=Js(o,1/0),aa=(L,de)=>R>=co&&oe(o,L,de),la=(L,de)=>{let[gt,ke,Lt]=[ft(de),b+R*L,R/2];return`M ${gt} ${ke+Lt} L ${gt+Lt} ${ke} M ${gt+Lt} ${ke+R} L ${gt+R} ${ke+Lt}`},ca={path:s.flatMap((L,de)=>r.map((gt,ke)=>aa(de,ke)?la(de,ke):"")).join(""),stroke:X("hatching"),thickness:1};return{plan:{image:ia,left:f,top:b,width:M,height:xe,isMirrored:l,labels:sa,frames:ra,hatching:ca},layout:{left:f,top:b,size:R,...Hn}}}function tr(e,t,n){let o=e.getContext("2d"),{plan:s,layout:r}=sl(o,t,n),{image:i,left:l,top:c,width:d,height:p,isMirrored:m,labels:f,frames:b,hatching:w}=s;po.set(e,s);let y=window.devicePixelRatio||1;e.width=Math.round((l+d+2)*y),e.height=Math.round((c+p+2)*y),e.style.width=`${l+d+2}px`,e.style.height=`${c+p+2}px`,o.scale(y,y),o.imageSmoothingEnabled=!1,o.save(),m&&o.transform(-1,0,0,1,2*l+d,0),o.drawImage(i,l,c,d,p),o.restore(),o.strokeStyle=w.stroke,o.lineWidth=w.thickness,o.stroke(new Path2D(w.path));for(let v of f)ho(o,v);for(let v of b)o.strokeStyle=v.stroke,o.lineWidth=v.thickness,o.strokeRect(v.x,v.y,v.width,v.height);return r}function ho(e,{text:t,x:n,y:o,isVertical:s,fill:r}){e.save(),e.translate(n,o),s&&e.rotate(-Math.PI/2),e.font=sn,e.textAlign=s?"left":"right",e.textBaseline="middle",e.fillStyle=r,e.fillText(`⁨${t}⁩`,0,0),e.restore()}var Rt=12,rl="select, input, textarea, .unseen, .explanation, .save, .peek, [data-unsaved]",il=e=>e==="transparent"||e==="rgba(0, 0, 0, 0)";function*al(e,t,n){let o=document.createRange(),s=e.parentElement,r=s instanceof SVGGraphicsElement?s.getScreenCTM().a:1;for(let{0:i,index:l}of e.data.matchAll(/\S+/gu)){o.setStart(e,l),o.setEnd(e,l+i.length);let{x:c,y:d,width:p,height:m}=o.getBoundingClientRect(),f=`${t.fontStyle} ${t.fontWeight} ${r*parseFloat(t.fontSize)}px ${t.fontFamily}`;p&&(yield{kind:"text",x:c,y:d,width:p,height:m,text:i,fill:n,font:f,direction:t.direction})}}function*ll(e,{x:t,y:n,width:o,height:s},r){let i=Ys(e);if(!i||!o)return;let{image:l,isMirrored:c}=i,d=i.width?{x:t+i.left,y:n+i.top,width:i.width,height:i.height}:{x:t,y:n,width:o,height:s};if(yield{kind:"cells",image:l,isMirrored:c,opacity:r,...d},i.hatching.path){let p={...i.hatching,origin:[t,n],scale:[1,1],fill:"none",opacity:r,dashes:""};yield{kind:"line",...d,...p,origin:[t,n],scale:[1,1]}}for(let p of i.frames)yield{kind:"frame",radius:0,...p,x:t+p.x,y:n+p.y};for(let p of i.labels)yield{kind:"label",...p,x:t+p.x,y:n+p.y,width:0,height:0}}function*cl(e,t,n){let{x:o,y:s,width:r,height:i}=n,l=parseFloat(t.borderRadius)||0,c=(p,m=2)=>({kind:"frame",stroke:p,thickness:m,radius:l,...n}),d=(p,m,f=2)=>({kind:"line",...n,path:p,origin:[o,s],scale:[1,1],fill:"none",stroke:m,thickness:f,opacity:1,dashes:""});e.matches(".cell")&&(yield c(t.borderTopColor,e.getAttribute("aria-pressed")==="true"?4:1.5)),e.matches(".cell.off")&&(yield d(`M 0 0 L ${r} ${i}`,X("less"))),e.matches("del")&&(yield d(`M 0 ${i/2} L ${r} ${i/2}`,X("bad"),1)),e.matches('.token[aria-pressed="true"], .part.here')&&(yield c(X("accent"))),e.matches(".token.prefix-end")&&(yield c(X("more"))),e.matches(".token.new, u.new")&&(yield d(`M 2 ${i-1} L ${r-2} ${i-1}`,X("more")))}function ul(e,t,{x:n,y:o,width:s,height:r}){let{a:i,d:l,e:c,f:d}=e.getScreenCTM();return{kind:"line",x:n,y:o,width:s,height:r,path:e.getAttribute("d"),origin:[c,d],scale:[i,l],fill:t.fill,stroke:t.stroke,thickness:parseFloat(t.strokeWidth),opacity:Number(t.opacity),dashes:t.strokeDasharray==="none"?"":t.strokeDasharray.replaceAll("px","")}}function*nr(e){let{x:t,y:n,width:o,height:s}=e.getBoundingClientRect(),r={x:t,y:n,width:o,height:s},i=getComputedStyle(e);if(e.matches(rl)||i.visibility==="hidden")return;let l=e instanceof SVGElement,c=Number(i.opacity);if(e instanceof HTMLCanvasElement)yield*ll(e,r,c);else if(e instanceof SVGPathElement)yield ul(e,i,r);else if(e instanceof SVGRectElement)i.fill==="none"?yield{kind:"frame",...r,stroke:i.stroke,thickness:2,radius:4}:yield{kind:"box",...r,fill:i.fill,opacity:c,radius:0};else if(!l&&o&&!il(i.backgroundColor)){let d=parseFloat(i.borderRadius)||0;yield{kind:"box",...r,fill:i.backgroundColor,opacity:1,radius:d}}for(let d of e.childNodes)d instanceof Text?yield*al(d,i,l?i.fill:i.color):d instanceof Element&&d.tagName!=="title"&&(yield*nr(d));l||(yield*cl(e,i,r))}function rn(e){let{classList:t}=document.documentElement;t.add("saving");try{return dl(e)}finally{t.remove("saving")}}function dl(e){let t=[],n=Rt,o=0;for(let s of e.flatMap(r=>[...document.querySelectorAll(r)])){let r=s.getBoundingClientRect(),i=r.x-s.scrollLeft,l=r.y-s.scrollTop,c=n;for(let d of nr(s)){let p=d.x-i+Rt,m=d.y-l+n;t.push(d.kind==="line"?{...d,x:p,y:m,origin:[d.origin[0]-i+Rt,d.origin[1]-l+n]}:{...d,x:p,y:m}),o=Math.max(o,p+d.width),c=Math.max(c,m+d.height)}n=c+Rt}return{shapes:t,width:Math.ceil(o+Rt),height:Math.ceil(n),paper:X("paper")}}var an=2;function pl(e,t){let{x:n,y:o,width:s,height:r}=t;if(e.save(),t.kind==="box")e.globalAlpha=t.opacity,e.fillStyle=t.fill,e.beginPath(),e.roundRect(n,o,s,r,Math.min(t.radius,r/2)),e.fill();else if(t.kind==="frame")e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.beginPath(),e.roundRect(n,o,s,r,t.radius),e.stroke();else if(t.kind==="cells")e.imageSmoothingEnabled=!1,e.globalAlpha=t.opacity,t.isMirrored&&e.transform(-1,0,0,1,2*n+s,0),e.drawImage(t.image,n,o,s,r);else if(t.kind==="label")ho(e,t);else if(t.kind==="line"){e.globalAlpha=t.opacity,e.translate(...t.origin),e.scale(...t.scale),e.fillStyle=t.fill,e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.setLineDash(t.dashes?t.dashes.split(/[ ,]+/).map(Number):[]);let i=new Path2D(t.path);t.fill!=="none"&&e.fill(i),t.stroke!=="none"&&e.stroke(i)}else e.font=t.font,e.fillStyle=t.fill,e.textAlign="center",e.textBaseline="middle",e.direction=t.direction==="rtl"?"rtl":"ltr",e.fillText(t.text,n+s/2,o+r/2);e.restore()}function or(e){let{shapes:t,width:n,height:o,paper:s}=rn(e),r=document.createElement("canvas"),i=r.getContext("2d");r.width=an*n,r.height=an*o,i.scale(an,an),i.fillStyle=s,i.fillRect(0,0,n,o);for(let l of t)pl(i,l);return r}var hl=3e5,mo=e=>e.replaceAll("&","&amp;").replaceAll("<","&lt;").replaceAll(">","&gt;").replaceAll('"',"&quot;");function se(e,t,n=""){let o=Object.entries(t).map(([s,r])=>{let i=typeof r=="number"?String(Math.round(100*r)/100):mo(r);return` ${s}="${i}"`});return n?`<${e}${o.join("")}>${n}</${e}>`:`<${e}${o.join("")}/>`}function ml({image:e,isMirrored:t,opacity:n,...o}){let{data:s,width:r,height:i}=Xs(e),l=new Map,c=o.width/r,d=o.height/i,p=(f,b)=>{let w=f*r+(t?r-1-b:b);return[0,1,2].map(y=>s[4*w+y].toString(16).padStart(2,"0")).join("")};for(let f=0;f<i;f++)for(let b=0,w;b<r;b=w){let y=p(f,b);for(w=b+1;w<r&&p(f,w)===y;)w++;let v={x:o.x+b*c,y:o.y+f*d,width:(w-b)*c,height:d},R=l.get(y)??[];l.set(y,R),R.push(se("rect",v))}let m=[...l].map(([f,b])=>se("g",{fill:`#${f}`},b.join("")));return se("g",{class:"cells",opacity:String(n),"shape-rendering":"crispEdges"},m.join(""))}function fl({image:e,isMirrored:t,opacity:n,x:o,y:s,width:r,height:i}){let l=document.createElement("canvas");return l.width=e.width,l.height=e.height,l.getContext("2d").drawImage(e,0,0),se("image",{x:o,y:s,width:r,height:i,...t?{transform:`matrix(-1 0 0 1 ${2*o+r} 0)`}:{},opacity:String(n),preserveAspectRatio:"none",style:"image-rendering:pixelated",href:l.toDataURL()})}function gl(e){let{x:t,y:n,width:o,height:s}=e,r={x:t,y:n,width:o,height:s};switch(e.kind){case"box":{let i=Math.min(e.radius,s/2);return se("rect",{...r,rx:i,fill:e.fill,opacity:String(e.opacity)})}case"frame":{let{stroke:i,thickness:l,radius:c}=e;return se("rect",{...r,rx:c,fill:"none",stroke:i,"stroke-width":String(l)})}case"cells":return e.image.width*e.image.height>hl?fl(e):ml(e);case"label":{let i={x:t,y:n,"text-anchor":e.isVertical?"start":"end","dominant-baseline":"central",...e.isVertical?{transform:`rotate(-90 ${t} ${n})`}:{},fill:e.fill,style:`font:${sn}`};return se("text",i,`⁨${mo(e.text)}⁩`)}case"line":return se("path",{d:e.path,transform:`translate(${e.origin.join(" ")}) scale(${e.scale.join(" ")})`,fill:e.fill,stroke:e.stroke,"stroke-width":String(e.thickness),opacity:String(e.opacity),...e.dashes?{"stroke-dasharray":e.dashes}:{}});case"text":{let i={x:t+o/2,y:n+s/2,"text-anchor":"middle","dominant-baseline":"central",direction:e.direction,fill:e.fill,style:`font:${e.font}`};return se("text",i,mo(e.text))}}}function sr(e){let{shapes:t,width:n,height:o,paper:s}=rn(e),i=[`<rect width="${n}" height="${o}" fill="${s}"/>`,...t.map(gl)].join(`
`),l={width:n,height:o,viewBox:`0 0 ${n} ${o}`};return`${se("svg",{xmlns:"http://www.w3.org/2000/svg",...l},`${i}
`)}
`}function rr(e,t){let n=document.createElement("a");n.href=URL.createObjectURL(t),n.download=e,n.click(),setTimeout(()=>URL.revokeObjectURL(n.href),1e3)}var He=(e,t,n="text/plain")=>rr(e,new Blob([t],{type:n}));function bl(e){let t=n=>/[",\n\r]/.test(String(n))?`"${String(n).replaceAll('"','""')}"`:String(n??"");return e.map(n=>n.map(t).join(",")).join(`
`)+`
`}function ir(e){for(let t of document.querySelectorAll("details.save[open]"))(e instanceof KeyboardEvent?e.key!=="Escape":t.contains(e.target))||(e instanceof KeyboardEvent&&t.querySelector("summary").focus(),t.open=!1)}addEventListener("keydown",ir);addEventListener("pointerdown",ir);function _(e,t,n,o){let s={PNG:()=>or(t).toBlob(i=>{i&&rr(`${e}.png`,i)}),SVG:()=>He(`${e}.svg`,sr(t),"image/svg+xml"),CSV:()=>He(`${e}.csv`,bl(n()),"text/csv"),JSON:()=>He(`${e}.json`,`${JSON.stringify(o(),null,2)}
`,"application/json")},r=i=>{i.currentTarget.closest("details").open=!1};return u`<details class="save">
    <summary aria-label="Save: ${e}">Save</summary>
    <span class="files"
      >${Object.entries(s).map(([i,l])=>u`<button
            type="button"
            aria-label="${e} as ${i}"
            @click=${c=>{l(),r(c)}}
            >${i}</button
          >`)}</span
    >
  </details>`}var ar={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},At=e=>(...t)=>({_$litDirective$:e,values:t}),st=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,n,o){this._$Ct=t,this._$AM=n,this._$Ci=o}_$AS(t,n){return this.update(t,n)}update(t,n){return this.render(...n)}};var fo=class extends st{current={};render(t){}update(t,[n]){let{style:o}=t.element;for(let[s,r]of Object.entries(n))this.current[s]!==r&&o.setProperty(s,r);for(let s of Object.keys(this.current))s in n||o.removeProperty(s);this.current=n}},A=At(fo);var wl={tokens:["Tokens","Models read and write tokens: words, or parts of words. ␣ is a space that stands alone, <s> begins a text, and </s> ends it."],beam:["Beam","How many beginnings of a translation are kept at each step. With 1, the likeliest token is taken each time."],sampling:["Sampling","Tokens are drawn by their probabilities. A temperature below 1 prefers likely tokens, one above 1 prefers them less. “Draw again” draws others."],probability:["Probability","How likely the model found a token, after the tokens before it. The stronger the colour of a token, the less likely it was."],best:["The best translations","What the search found, best first. The number is the score that ranks them: the logarithm of the probability, divided by a term for the length. A text that can be written with several sequences of tokens is listed once."],head:["Head","A head is one way of looking; each layer has several. cross.1.2 is its name in Python and in commands: head 2 of layer 1, both counted from 0, as everywhere on this page. Encoder: the text looks at itself. Decoder: the output looks at what is written. Cross: the output looks at the text. “Mean” is the mean of several heads."],alignment:["Alignment head","The head of cross-attention whose weights are most like a word alignment: high on one word, near the line from first to last. It is a guess: read the matrix."],share:["Share of a row","Only the largest weights are drawn, as many as make up this share of the row. Of the other rows, at most half is drawn."],words:["Words","The tokens of a word are taken together: weights are summed over the tokens that are looked at, and averaged over those that look."],weight:["Weight","How much a place looks at a token, from 0 to 1. The weights of a row sum to 1. A mask forbids some cells, which then have no weight: tokens that are not written yet, what is outside a window, and, in a batch of several texts, padding, which is no word. This page reads one text at a time, so it has no padding."],flow:["Through all layers","Three ways to follow the output back to the input. Rollout multiplies the weights of all layers. Gradient asks how a small change of an input changes the output. Integrated gradients add this up on the way from an empty input. None is the truth: each has its caveat beside the matrix."],label:["Label","A name for what a head does mostly: it looks at the previous token, the same token, the token after an earlier same one (induction), a symbol (a sink), along the alignment. Mixed: none of these for half of its weight."],entropy:["Spread, or entropy","How spread a row's weights are, in nats: 0 where one token has all the weight, 2.3 where ten tokens share it."],highest:["Highest weight","Of each row the largest weight, on average. The order “sharpness” begins with the highest."],offset:["Offset","How many places after its own a token looks, on average. Below 0: before."],worth:["Worth","How many nats of log-probability each token loses, on average, when this head is taken away. Below 0: the translation is likelier without it."],nats:["Nats","A log-probability is the natural logarithm of a probability. Minus 0.69 nats halves a probability; minus 2.3 nats make it a tenth."],value:["Value","A list of numbers that the head makes of a token, beside its key. The key says how well the token fits the query; the value is what it gives. Strips are as strong as the weight."],logit:["Logit","The output layer gives each token a number, its logit; softmax makes probabilities of them. The norm before it is held as it is. What later layers make of the head is not counted."],stream:["The state of a token","Each token has a list of numbers, its state. It begins as the embedding; each attention and each feed-forward layer reads it and adds a list of its own. The wider a stream is drawn, the longer its list: the square root of the sum of squares."],lookup:["Query, key, softmax","Query and key are lists of numbers. The head makes the query where a token is about to be written, of what was read up to there, and a key of each token that is looked at. Softmax turns scores into weights: e to the score, divided by the sum over the row."],temperature:["Temperature","Scores are divided by it before softmax. Below 1, the highest score takes more of the weight; above 1, all become more alike. The factor 1 ÷ √d does the same: d products add up to numbers of about √d, and without the factor one key would take nearly all of the weight."],"beam-search":["Beam search","Several beginnings of a translation are kept. Each is continued by its likeliest tokens; of all these, the best sums of log-probabilities are kept."],"log-probability":["Log-probability","The natural logarithm of a probability, in nats. Minus 0.69 nats halves a probability; minus 2.3 nats make it a tenth."],search:["Score in the search","The sum of the log-probabilities so far, in nats. At each step the best beginnings go on; the others are dropped."],lens:["Logit lens","The output layer, which belongs after the last layer, is put after each layer: what would the model write if it stopped there?"],snapshot:["Snapshot","The model as it was after some steps of training. Training with training.keep_every keeps snapshots."],moved:["What moved it","Gradient times input: how strongly a small change of each token would change the prediction. It is a hint, not a proof."]},ln=8;function yl(e){let t=e.target,n=t.previousElementSibling.getBoundingClientRect(),o=Math.max(ln,Math.min(n.left,innerWidth-t.offsetWidth-ln)),r=n.bottom+t.offsetHeight+ln<innerHeight?n.bottom+4:Math.max(ln,n.top-t.offsetHeight-4);t.style.left=`${o}px`,t.style.top=`${r}px`}function k(e,t){let[n,o]=wl[e];return u`<span class="term"
    ><button type="button" class="help" popovertarget="term-${e}">${t}</button
    ><span id="term-${e}" class="explanation" popover @toggle=${yl}
      ><b>${n}.</b> ${o}</span
    ></span
  >`}var $l=24,xl=.5,kl=.1;function vl(){let{ablations:e=[]}=a.inspection.result;if(!e.length)return h;let t=()=>[["heads","change","text"],...e.map(o=>[o.heads.join(" "),o.log_prob_change,o.text])],n=e.map(o=>u`<tr>
        <td>${o.heads.join(", ")}</td>
        <td class="number">${o.log_prob_change.toFixed(4)}</td>
        <td dir="auto">${o.text}</td>
      </tr>`);return u`<section class="panel without" aria-labelledby="without-title">
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
  </section>`}function cn(e,t){let n=e.toFixed(t);return Number(n)===0?n.replace("-",""):`${e>0?"+":""}${n}`}function un(e,t,n){let o=Math.max(n?xl:kl,...t.map(Math.abs)),s=(r,i)=>{let l=$(e[i]??""),c=cn(r,2),p={width:`${Number(c)===0?0:50*Math.abs(r)/o}%`,[r<0?"right":"left"]:"50%"};return u`<div class="change" role="listitem" aria-label="${l} ${r.toFixed(2)} ${n}">
      <bdi>${l}</bdi>
      <span class="track two"><span class=${r<0?"less":"more"} ${A(p)}></span></span>
      <span class="number">${c}</span>
    </div>`};return u`<div class="changes" role="list" tabindex="0" aria-label="Change of each ${n?"token":"label"}">
    ${t.map(s)}
  </div>`}function Tl({token_changes:e,log_prob_change:t,text:n}){let o=a.heads.ablatedSentence,s=e.reduce((d,p)=>d+p,0),r=S()?"translation":"text",i=o.prefix?"It begins with what you wrote, as the one above does.":"You chose the one above; this is the best that was found.",l=o.prefix!==""||o.edit?.kind==="translation",c=n===o.text;return u`<p>
      Written then${c?", the same as with all heads":""}:
      <bdi class="strong" id="written-then">${Ce(n,o.text)}</bdi>
    </p>
    ${l?u`<p class="hint" id="same-prefix">${i}</p>`:h}
    <p>
      The log-probability of the ${r} above changes by
      <span class="strong number" id="sum">${cn(s,3)}</span> ${k("nats","nats")},
      <span class="strong number" id="change">${t.toFixed(3)}</span> per token, where each token follows the same
      words as above:
    </p>
    ${un(Pe(o),e,"nats")}
    <p class="hint"
      >The larger the change, the more the ${r} depends on what these heads look at. Weights alone do not tell. The
      other panels show the model with all its heads.</p
    >`}function Sl({predicted:e=[]}){let t=a.inspection.result.predicted??[],n=t.map(i=>i.label),o=new Map(e.map(({label:i,prob:l})=>[i,l])),s=new Set(n).size===n.length&&n.every(i=>o.has(i));if(!e.length||!s){let i=e.map(l=>l.label).join(" ");return u`<p>
      Said then: <bdi class="strong" id="written-then">${Ce(i,n.join(" "))}</bdi>
    </p>`}let r=t.map(({label:i,prob:l})=>o.get(i)-l);return u`<p>
      Said then: <bdi class="strong" id="written-then">${e[0].label}</bdi>. The probability of each label
      changes by:
    </p>
    ${un(n,r,"")}`}function Rl(){let{disabled:e}=a.heads;if(!e.length)return u`<p class="hint">
      Switch a head off: this shows how the probability of each token changes, and what the model
      ${Y()?"writes":"says"} instead.
    </p>`;let t=n=>u`<button class="chip" title="Switch on" aria-label="Switch ${n} on" @click=${()=>void Ke([n])}
      >${n} ✕</button
    >`;return u`<p class="chips"
    >${e.length>$l?`${e.length} heads are off.`:e.map(t)}</p
  >`}function Al(e){let{predicted:t,token_changes:n}=e,o=Pe(a.heads.ablatedSentence);return _("without",["#written-then",".without .changes"],()=>t?.length?[["label","probability"],...t.map(({label:r,prob:i})=>[r,i])]:[["token","change"],...n.map((r,i)=>[o[i]??"",r])],()=>e)}function lr(){let{result:e,sentence:t}=a.inspection,{ablation:n,ablatedSentence:o,disabled:s,undoStack:r}=a.heads;if(!e||!t)return h;if(a.server.storedPage)return vl();if(!Z())return h;let i=B()||n!==null&&o!==t,l=p=>u`${Y()?Tl(p):Sl(p)}
      <p class="legend">
        <span><i class="less"></i> less likely without the heads</span>
        <span><i class="more"></i> more likely</span>
      </p>
      <p class="hint">
        The model was never trained without them: this is what they are worth here, not what another model could do.
      </p>`,c=u`<button id="all-on" @click=${()=>void ae([])}>Switch all on</button>`,d=u`<button id="undo" @click=${()=>void ys()}>Undo</button>`;return u`<section class="panel without ${i?"stale":""}" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without these heads</h2>
      ${s.length?c:h} ${r.length?d:h}
      ${n?Al(n):h}
    </div>
    ${Rl()} ${n?l(n):h}
  </section>`}var{I:bh}=rs;var cr=e=>e.strings===void 0;var Et=(e,t)=>{let n=e._$AN;if(n===void 0)return!1;for(let o of n)o._$AO?.(t,!1),Et(o,t);return!0},dn=e=>{let t,n;do{if((t=e._$AM)===void 0)break;n=t._$AN,n.delete(e),e=t}while(n?.size===0)},ur=e=>{for(let t;t=e._$AM;e=t){let n=t._$AN;if(n===void 0)t._$AN=n=new Set;else if(n.has(e))break;n.add(e),Ml(t)}};function El(e){this._$AN!==void 0?(dn(this),this._$AM=e,ur(this)):this._$AM=e}function Pl(e,t=!1,n=0){let o=this._$AH,s=this._$AN;if(s!==void 0&&s.size!==0)if(t)if(Array.isArray(o))for(let r=n;r<o.length;r++)Et(o[r],!1),dn(o[r]);else o!=null&&(Et(o,!1),dn(o));else Et(this,e)}var Ml=e=>{e.type==ar.CHILD&&(e._$AP??=Pl,e._$AQ??=El)},pn=class extends st{constructor(){super(...arguments),this._$AN=void 0}_$AT(t,n,o){super._$AT(t,n,o),ur(this),this.isConnected=t._$AU}_$AO(t,n=!0){t!==this.isConnected&&(this.isConnected=t,t?this.reconnected?.():this.disconnected?.()),n&&(Et(this,t),dn(this))}setValue(t){if(cr(this._$Ct))this._$Ct._$AI(t,this);else{let n=[...this._$Ct._$AH];n[this._$Ci]=t,this._$Ct._$AI(n,this,0)}}disconnected(){}reconnected(){}};var go=new WeakMap,rt=At(class extends pn{render(e){return h}update(e,[t]){let n=t!==this.G;return n&&this.G!==void 0&&this.rt(void 0),(n||this.lt!==this.ct)&&(this.G=t,this.ht=e.options?.host,this.rt(this.ct=e.element)),h}rt(e){if(this.isConnected||(e=void 0),typeof this.G=="function"){let t=this.ht??globalThis,n=go.get(t);n===void 0&&(n=new WeakMap,go.set(t,n)),n.get(this.G)!==void 0&&this.G.call(this.ht,void 0),n.set(this.G,e),e!==void 0&&this.G.call(this.ht,e)}else this.G.value=e}get lt(){return typeof this.G=="function"?go.get(this.ht??globalThis)?.get(this.G):this.G?.value}disconnected(){this.lt===this.ct&&this.rt(void 0)}reconnected(){this.rt(this.ct)}});function _l({spelled:e,offsets:t},n){let o=[...n],s=0;return e.map((r,i)=>{let l=Math.max(s,t[i]?.[1]??0),c=t[i]?"":o.slice(s).join("");r.trim()&&c.trimStart().startsWith(r)&&(l=s+[...c.slice(0,c.indexOf(r)+r.length)].length),r.replaceAll("▁","")||(l=s+/^\s*/u.exec(o.slice(s,l).join(""))[0].length);let d=o.slice(s,l).join("");return s=l,d})}var dr=/^▁?(<unk>|\[UNK\])$/;function Ol(e,t){let n=t.trim();return dr.test(e)&&n&&!dr.test(n)?`<unk: ${n}>`:e}function mn(e,t){let n=a.view.groupsWords?Ds(e):e.spelled.map((r,i)=>[i]),o=_l(e,t),s=e.spelled.map((r,i)=>Ol(r,o[i]));return{groups:n,labels:n.map(r=>r.map(i=>s[i]).join("")),pieces:n.map(r=>r.map(i=>o[i]).join("")),direction:ge(t)}}function pr({groups:e},t){let n=e.findIndex(o=>o.at(-1)>=t);return n<0?e.length-1:n}function hr(e,t,n,o,s){let r=a.view.groupsWords?Fs(t,n.groups,o.groups):t,i=pr(n,s.row),l=ot(r,i),c=l.indexOf(Math.max(...l)),d=s.key!==null&&s.key<t.keys;return{kind:e,weights:r,rows:n,keys:o,row:i,bestKey:c,key:d?pr(o,s.key):c}}function Cl({rows:e,keys:t,shares:n,inspection:o}){let{text:s,target:r,token_log_probs:i}=o,l=mn(e,r??s),c=mn(t,s),{outputPosition:d,inputPosition:p}=a.view,m=r===null&&i.length>0,f=m?d-1:d,b=hr("flow",Ws(n),l,c,{row:f,key:p});return m&&(l.groups=l.groups.map(w=>w.map(y=>y+1))),b}function Hl(){let{tokens:e,weights:t}=a.inspection.result,{head:n}=a.view,o=[...t.keys()],s=o.filter(l=>n===`${q}${P(l)}`);if(s.length)return s;let r=Object.keys(e),i=r.includes("cross")?"cross":r.at(-1);return o.filter(l=>l.startsWith(`${i}.`))}var hn=null;function Ll(e){return hn?.heads.length===e.length&&e.every((n,o)=>n===hn.heads[o])||(hn={heads:e,mean:Bs(e)}),hn.mean}function we(){let{result:e,flow:t}=a.inspection,{head:n,outputPosition:o,inputPosition:s,keyPosition:r}=a.view;if(!e)return null;if(n.startsWith(C))return t&&Cl(t);let{text:i,target:l,weights:c}=e,d=c.has(n)?[n]:Hl(),p=d[0].split(".")[0],m=e.tokens[p],f=d.map(R=>c.get(R)),b=mn(m.rows,p==="encoder"?i:l??i),w=mn(m.keys,p==="decoder"?l??i:i),y=m.rows.spelled.length-1,v=Gn(p)?{row:Math.min(o,y),key:s}:{row:Math.min(s??0,y),key:r};return hr(p,f.length>1?Ll(f):f[0],b,w,v)}function j({kind:e,rows:t,keys:n},o,s){let r=({groups:c},d)=>c[Math.max(0,Math.min(d,c.length-1))][0],i=r(t,o),l=r(n,s);Gn(e)?g({view:{outputPosition:i,inputPosition:l}}):g({view:{inputPosition:i,keyPosition:l}})}var mr=12;function J(e,t=1){let n=K("paper"),o=K(e);return u`<span class="ramp" aria-hidden="true"
    >${Array.from({length:mr},(s,r)=>{let i=n.map((l,c)=>Math.round(l+t*r/(mr-1)*(o[c]-l)));return u`<i ${A({background:`rgb(${i.join(", ")})`})}></i>`})}</span
  >`}var Nl=1e3,wo=.5,Il=.7,Wl=.05,Bl="20px system-ui, sans-serif",Dl=16,Fl=3,ql=3,ye=30,fr=14,bo=140,Vl=640,jl=.7,Ul=1.4,Gl=.4,fn=null;function Kl(e){let t=Math.min(a.view.rowShare,wo);if(fn?.weights===e&&fn.share===t)return fn.edges;let n=Math.max(1,Math.floor(Nl/e.rows)),o=Array.from({length:e.rows},(s,r)=>yr(e,r,t).slice(0,n)).flat();return fn={weights:e,share:t,edges:o},o}function yr(e,t,n){let o=ot(e,t);return[...on(o,n)].map(s=>({row:t,key:s,weight:o[s]}))}var gr=new OffscreenCanvas(1,1).getContext("2d");function bn(e){return gr.font=Bl,gr.measureText(e).width}function gn(e,t){let n=0,o=e.labels.map((s,r)=>{let i=r>0&&e.pieces[r]!==""&&!/^\s|^▁/u.test(e.pieces[r]+s),l=$(s),c=Math.max(24,bn(l));return r&&(n+=i?Fl:t*Dl),n+=c,{text:l,x:n-c/2,y:0,width:c}});if(e.direction==="rtl")for(let s of o)s.x=n-s.x;return{width:n,words:o}}function Xl({rows:e,keys:t},n){let o=f=>Math.max(gn(e,f).width,gn(t,f).width),[s,r]=[o(1),o(2)-o(1)],i=Math.max(1,Math.min(ql,1+(n-fr-s)/Math.max(r,1))),l={rows:gn(e,i),keys:gn(t,i)},c=Math.max(l.rows.width,l.keys.width)+fr,d=(f,b)=>f.words.map(w=>({...w,x:w.x+(c-f.width)/2,y:b})),p=ye,m=p+bo;return{width:c,height:m+ye,keys:d(l.keys,ye/2),rows:d(l.rows,m+ye/2),path:(f,b)=>`M ${f.x} ${m} C ${f.x} ${m-bo/2}, ${b.x} ${p+bo/2}, ${b.x} ${p}`}}function zl(e,t){let n=[...e];if(bn(e)<=t)return e;for(;n.length>1&&bn(`${n.join("")}…`)>t;)n.pop();return`${n.join("")}…`}function Jl({rows:e,keys:t},n){let o=(d,p)=>d.labels.map(f=>zl($(f),Gl*n)).map((f,b)=>{let w=Math.max(24,bn(f));return{text:f,width:w,x:p?n-4-w/2:4+w/2,y:ye*(b+.5)}}),[s,r]=[o(t,!1),o(e,!0)],i=10+Math.max(...s.map(d=>d.width)),l=n-10-Math.max(...r.map(d=>d.width)),c=(i+l)/2;return{width:n,height:ye*Math.max(s.length,r.length),keys:s,rows:r,path:(d,p)=>{let m=`C ${c} ${d.y}, ${c} ${p.y}, ${i} ${p.y}`;return`M ${n-8-d.width} ${d.y} L ${l} ${d.y} ${m} L ${8+p.width} ${p.y}`}}}var yo=()=>$r()<Vl;function $r(){let e=document.querySelector(".panel.alignment");if(!e)return innerWidth-66;let{paddingLeft:t,paddingRight:n}=getComputedStyle(e);return e.clientWidth-parseFloat(t)-parseFloat(n)}function br(e,t,n){let o=e.currentTarget.ownerSVGElement;o.classList.toggle("hovering",n!==null);for(let r of o.querySelectorAll(".lit"))r.classList.remove("lit");if(n===null)return;let s=t==="row"?"key":"row";for(let r of o.querySelectorAll(`.edge[data-${t}="${n}"]`))r.classList.add("lit"),o.querySelector(`.word[data-${s}="${r.dataset[s]}"]`)?.classList.add("lit");o.querySelector(`.word[data-${t}="${n}"]`)?.classList.add("lit")}function Yl({text:e,x:t,y:n},o,s,r){return I`<text class="word" x=${t} y=${n} dy="0.35em" data-row=${o==="row"?s:-1}
    data-key=${o==="key"?s:-1} @click=${r}
    @pointerenter=${i=>br(i,o,s)}
    @pointerleave=${i=>br(i,o,null)}>\u2068${e}\u2069</text>`}var wr=e=>e?I`<rect class="frame-of-word" x=${e.x-e.width/2-4} y=${e.y-ye/2+1}
        width=${e.width+8} height=${ye-2} rx="4"></rect>`:h;function xr(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=$r(),l=yo(),c=l?Jl(e,i):Xl(e,i),d=l?1:Math.max(jl,Math.min(Ul,i/c.width)),m=[...a.view.hidesOtherRows?[]:Kl(t).filter(w=>w.row!==s),...yr(t,s,a.view.rowShare)],f=w=>{let y=w.row===s,v=Math.max(Wl,y?w.weight:Il*w.weight);return I`<path class=${y?"edge here":"edge"} data-row=${w.row} data-key=${w.key}
      data-weight=${w.weight.toFixed(3)} opacity=${v} stroke-width=${1+4*w.weight}
      d=${c.path(c.rows[w.row],c.keys[w.key])}></path>`},b=(w,y,v)=>y.map((R,M)=>Yl(R,w,M,()=>v(M)));return u`<div class="scroll" tabindex="0" role="group" aria-label="Curves">
    <svg
      id="curves"
      class="curves"
      width=${Math.round(d*c.width)}
      height=${Math.round(d*c.height)}
      viewBox="0 0 ${c.width} ${c.height}"
      role="img"
      aria-label="Curves from each of ${n.labels.length} tokens to those of ${o.labels.length} that it looks at"
    >
      ${m.map(f)} ${wr(c.keys[r])} ${wr(c.rows[s])}
      ${b("key",c.keys,w=>j(e,s,w))}
      ${b("row",c.rows,w=>j(e,w,r))}
    </svg>
  </div>`}var H=e=>e.target.value,le=e=>e.target.checked,it=e=>e.ctrlKey||e.metaKey||e.altKey,wn=e=>e.key==="Enter"&&(e.ctrlKey||e.metaKey);function Zl(){let e=a.inspection.result?.tokens.decoder;return e?.keys.spelled[e.keys.spelled.length-e.rows.spelled.length]??null}var $o=(e,t)=>({writes:e[t]??null,read:t?e[t-1]??null:Zl()}),xo=(e,t)=>({writes:e[t+1]??null,read:e[t]??null});function at(e){return e==="encoder"?"read":a.inspection.result?.target!==null?"translation":e==="decoder"?"text":"read"}function ce({kind:e,rows:t},n){let o=at(e);return o==="read"?null:o==="translation"?$o(t.labels,n):xo(t.labels,n)}var kr=e=>u`<bdi class="strong">${$(e)}</bdi>`;function ne({writes:e,read:t},n="about",o=h){let s=u`${e===null?"the next token":kr(e)}${o}`;return t===null?u`${n} to write ${s}`:u`${n} to write ${s}, has read up to ${kr(t)}`}var vr=4,Ql=({weights:e},t)=>e.keys-e.rows+t;function ko(e,t){return e.keys.labels.map((n,o)=>o).filter(n=>oe(e.weights,t,n))}function ec(e){let t=e.rows.labels.flatMap((n,o)=>{let s=Ql(e,o),r=i=>i<s||e.kind==="encoder";return ko(e,o).filter(r).map(i=>Math.abs(s-i))});return t.length?Math.min(...t):null}function Tr(e,t){let n=t.slice(0,vr+ +(t.length===vr+1)),o=n.map((r,i)=>u`${i?", ":h}<bdi>${$(e.keys.labels[r])}</bdi>`),s=t.length-n.length;return u`${o}${s?` and ${s} more`:h}`}function tc(e){let t=ko(e,e.row),n=ce(e,e.row),o=n?u`${ne(n,"About")}: it may`:u`<bdi class="strong">${$(e.rows.labels[e.row])}</bdi> may`,s=e.keys.labels.map((r,i)=>i).filter(r=>!t.includes(r));return t.length?u`${o} look at ${Tr(e,s)}, and not at ${Tr(e,t)}.`:u`${o} look at all of them.`}var Sr={cross:"No cell is hatched: the text is there from the start, so every place may look at all of it. Heads that read what is written have hatched cells: a place may not look at tokens that are not written yet.",encoder:"No cell is hatched: the text is there from the start, so each token may look at those before and after it."};function Rr(e){let{kind:t}=e;if(t==="flow")return h;if(!e.rows.labels.some((p,m)=>ko(e,m).length))return Sr[t]?u`<p id="mask">${Sr[t]}</p>`:h;let o=at(t)==="translation",r=t==="decoder"?`a place may not look at tokens that are not written yet. While the model ${o?"translates":"writes"}, there are none. To show this, the whole ${o?"translation":"text"} is read at once, so a mask hides them.`:"",i=ec(e),l=t==="encoder"?"to each side":"back",c=i===null?"":`this layer looks through a window: at its own position, and ${i-1} ${l}; the rest is hidden.`,d=[r,c].filter(Boolean).join(" Also, ");return u`<p id="mask"> Hatched: ${d} ${tc(e)} </p>`}var Ar=5,nc=.85,oc=.6;function sc({weights:e,rows:t,keys:n,row:o,key:s}){let r=(l,c)=>{let d=Math.max(0,Math.min(l-2,c-Ar));return Array.from({length:Math.min(Ar,c)},(p,m)=>d+m)},i=(l,c)=>{let d=oe(e,l,c)?"forbidden":be(e,l,c).toFixed(2),p=`${$(t.labels[l])} → ${$(n.labels[c])} ${d}`;return u`<td role="gridcell" aria-label=${p}></td>`};return u`<table class="unseen" role="grid" aria-label="Weights about the chosen cell">
    <tbody>
      ${r(o,e.rows).map(l=>u`<tr> ${r(s,e.keys).map(c=>i(l,c))} </tr>`)}
    </tbody>
  </table>`}function Er({pieces:e,labels:t,direction:n},o){let{id:s,label:r,chosen:i,shareOf:l,choose:c}=o,d=(m,f)=>{let b=l(f),w=m!==""&&!/\p{Letter}/u.test(m),y=A({background:b?he("heat",nc*b):"",color:b>oc?"var(--paper)":""}),v=`part ${f===i?"here":""}`,[,R,M]=/^(\s*)([^]*)$/u.exec(m);if(nt(e,f))return u`${R}<span class=${v} @click=${()=>c(f)} ${y}>${M}</span>`;let xe=M||m||$(t[f]);return u`<bdi class=${m?"":"symbol"} dir=${w?n:"auto"} @click=${()=>c(f)}
      >${M?R:h}<span class=${v} ${y}>${xe}</span></bdi
    >`},p=e.map(d);return u`<p id=${s} class="tokens" dir=${n} role="group" aria-label=${r}>${p}</p>`}var Pr={translation:"the place where it is about to be written: all tokens before it have been read there",text:"the place where it has been read, and the next token is about to be written",read:"itself"};function rc(e){if(e==="flow")return`Each row is what was written or said; each column is a token of the input. The stronger a cell, the larger its share. ${a.inspection.flow?.caveat}`;let t=e==="cross"?"the tokens of the text, which it looks at":"the tokens that it looks at";return`Rows: each token stands for ${Pr[at(e)]}. Columns: ${t}.`}function ic({kind:e}){if(e==="flow")return h;let[t,n]=yo()?["Left","Right"]:["Above","Below"];return u`<p class="hint" id="sides">
    ${t}: the tokens that are looked at. ${n}: each token stands for ${Pr[at(e)]}.
  </p>`}function ac(e,t){let{row:n,key:o,weights:s,keys:r}=t,i=r.direction==="rtl"?-1:1,c={ArrowUp:()=>j(t,n-1,o),ArrowDown:()=>j(t,n+1,o),ArrowLeft:()=>j(t,n,o-i),ArrowRight:()=>j(t,n,o+i),Home:()=>j(t,n,0),End:()=>j(t,n,s.keys-1),n:()=>De(1),p:()=>De(-1),PageDown:()=>Fe(1),PageUp:()=>Fe(-1)}[e.key];it(e)||!c||(c(),e.preventDefault())}var Le=null,Mr=()=>Le;function lc(e,t){if(!Le)return;let{weights:n,keys:o}=t,s=e.target.getBoundingClientRect(),r=Math.floor((e.clientX-s.left-Le.left)/Le.size),i=Math.floor((e.clientY-s.top-Le.top)/Le.size),l=o.direction==="rtl"?n.keys-1-r:r;i>=0&&l>=0&&i<n.rows&&l<n.keys&&j(t,i,l)}function cc(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=o.direction==="rtl",l={weights:t,rows:n.labels,keys:o.labels,chosen:{row:s,key:r},isMirrored:i},c=b=>{queueMicrotask(()=>{let w=b?.parentElement;w&&(Le=tr(b,l,w.clientWidth))})},d=`${t.rows} rows, ${t.keys} columns`,p=u`<span><i class="stroke"></i> the others</span>`,m=t.values.includes(t.forbidden),f=u`<span><i class="forbidden"></i> forbidden by a mask</span>`;return u`<div class="frame">
      <canvas
        id="matrix"
        tabindex="0"
        role="img"
        aria-label="Weights of ${a.view.head}: ${d}. Arrow keys choose a cell."
        ${rt(c)}
        @pointerdown=${b=>lc(b,e)}
        @keydown=${b=>ac(b,e)}
      ></canvas>
    </div>
    <p class="legend" id="legend">
      <span>${k("weight","weight")} 0 ${J("heat")} 1</span>
      ${m?f:h}
      <span><i class="stroke here"></i> the chosen token</span> ${a.view.hidesOtherRows?h:p}
    </p>`}function uc(e){let{kind:t,weights:n,rows:o,keys:s,row:r,key:i,bestKey:l}=e,c=n.values instanceof Uint16Array?3:2,d=v=>be(n,r,v).toFixed(c),p=u`<bdi class="strong">${$(o.labels[r])}</bdi>`,m=u`<bdi class="strong">${$(s.labels[i])}</bdi>`,f=u`<span class="strong number">${d(i)}</span>`,b=!oe(n,r,i);if(t==="flow"&&b)return u`<p id="cell" role="status">${m} has a share of ${f} in ${p}.</p>`;let w=u`Most, ${d(l)}, goes to <bdi>${$(s.labels[l])}</bdi>.`,y=ce(e,r);return u`<p id="cell" role="status">
    ${y?u`${ne(y,"About")}:`:p}
    ${b?u`looks with ${f} at`:"may not look at"} ${m}. ${i===l?h:w}
  </p>`}function _r(){let e=(r,i)=>u`<option value=${r} ?selected=${r===a.view.head}>${i}</option>`,t=[...a.inspection.result.weights.keys()],n=[...new Set(t.map(P))],o=r=>u`<optgroup label="${Ut(r)} (${r})">
      ${t.filter(i=>P(i)===r).map(i=>e(i,Xn(i)))}
      ${e(`${q}${r}`,`mean of ${r}`)}
    </optgroup>`,s=()=>u`<optgroup label="Through all layers">
      ${pe.map(r=>e(`${C}${r}`,r))}
    </optgroup>`;return u`${k("head","Head")}
    <select id="head" aria-label="Head" @change=${r=>void te(H(r))}>
      ${n.map(o)} ${e("mean","mean")} ${a.server.storedPage?h:s()}
    </select>
    ${dc()}`}function dc(){let e=jt();if(!e)return h;let{head:t,isOfModel:n}=e;return u`<button id="aligns" aria-pressed=${a.view.head===t} @click=${()=>void te(t)}
    >${n?"Show the alignment head":"Show the alignment layer of this sentence"}</button
  >`}function pc(){let{rowShare:e,groupsWords:t,hidesOtherRows:n}=a.view,o=`${Math.round(100*e)} %`;return u`${k("share","Share of a row")}
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
        @input=${s=>g({view:{rowShare:Number(H(s))}})}
      />
      <span class="number">${o}</span></label
    >
    <span
      ><input
        id="words"
        type="checkbox"
        aria-label="words"
        .checked=${t}
        @change=${s=>g({view:{groupsWords:le(s)}})}
      />
      ${k("words","words")}</span
    >
    <label
      ><input
        id="alone"
        type="checkbox"
        .checked=${n}
        @change=${s=>g({view:{hidesOtherRows:le(s)}})}
      />
      only the chosen token</label
    >`}function hc({weights:e,rows:t,keys:n}){let o=(l,c)=>oe(e,l,c)?null:be(e,l,c).toFixed(4),s=()=>[["row","key","row_token","key_token","weight"],...t.labels.flatMap((l,c)=>n.labels.flatMap((d,p)=>{let m=o(c,p);return m===null?[]:[[c,p,l,d,m]]}))],r=(l,c)=>{let d=o(l,c);return d===null?null:Number(d)};return _("alignment",["#curves","#cell","#matrix","#legend"],s,()=>({head:a.view.head,rows:t.labels,keys:n.labels,weights:t.labels.map((l,c)=>n.labels.map((d,p)=>r(c,p)))}))}var mc="<s> is the symbol that begins a text, </s> the one that ends it.";function fc({kind:e,keys:t}){return u`<p class="hint" id="reading">
    ${t.direction==="rtl"?"Its columns run from right to left, as the text does.":h} ${e==="flow"?h:"The stronger the colour of a cell, the larger its weight; the weights of a row sum to 1. A weight says where a head looks. It does not say how important a token is: a head may look at tokens that change nothing in what is written."} ${mc}
  </p>`}function vo(e){return(S()||a.server.storedPage)&&e!=="encoder"&&e!=="decoder"?"Alignment":"Attention"}function gc(){let e=Y()?"After a translation, this shows which words of the text each word was written from.":"This shows which tokens of the text each token looks at.";return u`<section class="panel alignment" aria-labelledby="alignment-title">
    <div class="head"><h2 id="alignment-title">${vo()}</h2></div>
    ${a.inspection.result?_r():h}
    <p class="hint">${x()?"…":e}</p>
  </section>`}function bc(){let{head:e}=a.view,{result:t}=a.inspection;return t?.weights.has(e)?Gt(e):e.startsWith(C)?`Through all layers: ${e.slice(C.length).replace("-"," ")}`:e.startsWith(q)?`Mean of ${Ut(e.slice(q.length))}`:"Mean of the last kind of heads"}function Or(){let e=we();return!e||!a.inspection.result?gc():u`<section class="panel alignment ${Cr(e)?"stale":""}" aria-labelledby="alignment-title">
    <div class="head">
      <h2 id="alignment-title"
        >${jt()?k("alignment",vo(e.kind)):vo(e.kind)}</h2
      >
      <span id="shown-head" class="strong">${bc()}</span>
      ${hc(e)}
    </div>
    <div class="together chooser" data-unsaved>${_r()}</div>
    ${xr(e)} ${ic(e)} ${uc(e)} ${yc(e)}
  </section>`}var wc="They are no dictionary: they show where one head looks, and it may look at another word than the one that is translated.";function yc({kind:e}){return u`<p class="hint">
    Lines lead to the largest weights: of the chosen token, to those that are ${Math.round(100*a.view.rowShare)} %
    of its row; of each other token, to those that are
    ${Math.round(100*Math.min(a.view.rowShare,wo))} %. ${e==="cross"?wc:h}
  </p>`}function Cr({kind:e}){let{result:t,flow:n}=a.inspection;return B()||e==="flow"&&n?.inspection!==t}function Hr(){let e=we();if(!e||!a.inspection.result)return h;let{rows:t,keys:n,row:o,key:s,weights:r}=e,i=ot(r,o),l=on(i,a.view.rowShare),c=Er(t,{id:"row-tokens",label:"tokens that stand for the places that look",chosen:o,shareOf:()=>0,choose:p=>j(e,p,s)}),d=Er(n,{id:"key-tokens",label:"tokens that are looked at",chosen:s,shareOf:p=>l.has(p)?i[p]:0,choose:p=>j(e,o,p)});return u`<section class="panel matrix ${Cr(e)?"stale":""}" aria-labelledby="matrix-title">
    <div class="head">
      <h2 id="matrix-title">All its weights</h2>
      ${pc()}
    </div>
    <p class="hint" id="axes">${rc(e.kind)}</p>
    ${Rr(e)} ${cc(e)} ${sc(e)}
    <div class="sides">${c} ${d}</div>
    ${fc(e)}
    <p class="hint" id="keys">
      In the matrix, arrows, home and end choose a cell. N, P: next and previous head. Page up, page down: another
      layer.
    </p>
  </section>`}var $c=6,Lr=1,To=e=>g({trial:{softmax:{...a.trial.softmax,...e}}});function Nr(e,t,n){return u`<label><input id=${e} type="checkbox" .checked=${t} @change=${s=>To(e==="scaled"?{isScaled:le(s)}:{isMasked:le(s)})} /> ${n}</label>`}function Ir({factor:e,query:t,allowed:n}){let{softmax:o}=a.trial,{temperature:s,isScaled:r,isMasked:i}=o,l=d=>To({temperature:10**Number(H(d))}),c=u`<button id="own-softmax" @click=${()=>To(kt)}>As the model has it</button>`;return u`<div class="controls together" data-unsaved>
      <label
        >${k("temperature","temperature")}
        <input
          id="softmax-temperature"
          type="range"
          min=${-Lr}
          max=${Lr}
          step="0.05"
          .value=${String(Math.log10(s))}
          aria-label="Temperature of this row"
          aria-valuetext=${s.toFixed(2)}
          @input=${l}
        />
        <span class="number">${s.toFixed(2)}</span></label
      >
      ${e===1?h:Nr("scaled",r,`1 ÷ √${t.length}`)}
      ${n.every(Boolean)?h:Nr("masked",i,"mask")} ${qt(o)?h:c}
    </div>
    <p class="hint" data-unsaved> The model does not change: only this table is computed again, from the scores. </p>`}function xc(e,t){let n=Fn(t,kt).entropy.toFixed(2),o=u`, in place of <span class="number">${n}</span>`;return u`<p class="hint" id="row-spread">
    The weights are spread by
    <span class="strong number">${e.entropy.toFixed(2)}</span> nats
    (entropy)${qt(a.trial.softmax)?h:o}. ${e.total.toFixed(2)} is the sum of the column
    before it, over all keys.
  </p>`}function Wr(e,t){let{softmax:n}=a.trial,o=Fn(t,n),{keys:s,scores:r,exponentials:i,highest:l,total:c,weights:d}=o,p=s.slice(0,$c),m=p.includes(e.key)||!s.includes(e.key)?p:[...p,e.key],f=qt(n),b=u` <span class="hint">(hidden)</span>`,w=M=>u`<tr class=${M===e.key?"strong":""}>
      <td><bdi>${$(e.keys.labels[M])}</bdi>${t.allowed[M]?h:b}</td>
      <td class="number">${r[M].toFixed(2)}</td>
      <td class="number">${i[M].toFixed(3)}</td>
      <td class="number">${d[M].toFixed(3)}</td>
      ${f?h:u`<td class="number">${t.weights[M].toFixed(3)}</td>`}
      <td class="fill">
        <span class="track"><span ${A({width:`${100*d[M]}%`})}></span></span>
      </td>
    </tr>`,y=s.length-m.length,v=n.temperature===1?"":` ÷ ${n.temperature.toFixed(2)}`,R=`score − ${l.toFixed(2)}`;return u`<table id="softmax" class=${f?"":"compared"}>
      <thead>
        <tr>
          <th>key</th>
          <th>score</th>
          <th>exp(${v?`(${R})${v}`:R})</th>
          <th>÷ ${c.toFixed(2)} = weight</th>
          ${f?h:u`<th>the model's</th>`}
          <th><span class="unseen">weight, as a bar</span></th>
        </tr>
      </thead>
      <tbody> ${m.map(w)} </tbody>
    </table>
    ${y>0?u`<p class="hint">and ${y} more keys.</p>`:h} ${xc(o,t)}`}var Br=320,Dr=18;function Ne(e,t,n,{max:o=Math.max(...n.map(Math.abs),1e-9),opacity:s=1}={}){let r=Br/n.length,i=`from ${Math.min(...n).toFixed(2)} to ${Math.max(...n).toFixed(2)}`,l=(c,d)=>I`<rect x=${d*r} width=${r} height=${Dr} class=${c<0?"less":"more"}
      opacity=${(Math.min(1,Math.abs(c)/o)*s).toFixed(3)}><title>${c.toFixed(3)}</title></rect>`;return u`<div class="strip">
    <span>${t}</span
    ><svg
      data-strip=${e}
      viewBox="0 0 ${Br} ${Dr}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${e}: ${n.length} numbers, ${i}"
    >
      ${n.map(l)}
    </svg>
  </div>`}var kc=.01,vc=.12;function Tc({length:e,residual:t}){let n=Math.max(e,t),o=(s,r,i)=>u`<div class="change">
      <span>${s}</span
      ><span class="track"><span ${A({width:`${100*i/n}%`})}></span></span>
      <span class="number" id=${r}>${i.toFixed(2)}</span>
    </div>`;return u`${o("what it adds","added-length",e)} ${o("the state before","residual-length",t)}`}function Sc({likelier:e,said:t}){if(!e.length&&!t)return h;let n=()=>u`It adds <span class="strong number" id="said">${t[1].toFixed(2)}</span> to the logit of
      <bdi class="strong">${$(t[0])}</bdi>, which is about to be written.`,o=()=>u`Read by the output layer, it makes these more likely than any others:
    ${e.map(([s,r])=>u`<span class="likelier"><bdi class="strong">${$(s)}</bdi> +${r.toFixed(2)}</span> `)}
    (${k("logit","logits")}).`;return u`<p>${e.length?o():h} ${t?n():h}</p>`}function Rc({keys:e,labels:t},n){let o=Math.max(...n.values.flat().map(Math.abs),1e-9),s=e.filter((c,d)=>d===0||n.weights[c]>=kc),r=n.weights.filter(c=>c>0).length-s.length,i=Math.max(0,1-s.reduce((c,d)=>c+n.weights[d],0)),l=s.map((c,d)=>{let p=n.weights[c],m=u`<bdi>${$(t[c]??"")}</bdi>
      <span class="number">× ${p.toFixed(2)}</span>`,f=Math.max(vc,p);return Ne(`value ${d}`,m,n.values[d],{max:o,opacity:f})});return u`<p>
      Each of these tokens has a ${k("value","value")}, too. The head multiplies each value by its weight, and adds
      them up:
    </p>
    ${l}
    ${r?u`<p class="hint">and ${r} more keys, together × ${i.toFixed(2)}.</p>`:h}
    ${Ne("sum",u`<span class="strong">their sum</span>`,n.total,{max:o,opacity:1})}
    <p>A matrix turns the sum into the vector that the head adds to the state. Lengths:</p>
    <div class="lengths">${Tc(n)}</div>
    ${Sc(n)}`}function Fr(e){_s(e);let{writes:t}=a.inspection,n=Ze(),o=t!==null&&t.cell!==fe(e.row,a.view.head);return u`<div id="writes" class=${o?"stale":""} ?data-unsaved=${n!==""}>
    <h3>What it takes from them, and adds</h3>
    ${n?u`<p class="hint" id="no-writes">This cannot be shown for this model: ${n}</p>`:t?Rc({keys:t.result.keys,labels:t.view.keys.labels},t.result):u`<p class="hint">…</p>`}
  </div>`}var So="The place that is about to write a token asks with its query; the tokens that it may look at answer with their keys, and give their values.";function Ac({key:e},t){let{query:n,terms:o,factor:s,scores:r,bias:i,allowed:l}=t;if(!l[e])return u`<p id="score">
      A mask forbids this key: it gets the weight 0, whatever its score is. Softmax makes weights of the others:
    </p>`;let c=o.reduce((f,b)=>f+b,0),d=f=>u`<span class="number">${f.toFixed(3)}</span>`,p=u`, times ${d(s)} (1 ÷ √${n.length})`,m=u`, plus ${d(i[e])} for the positions`;return u`<p id="score">
    The sum, ${d(c)}${s===1?h:p}${i[e]?m:h}, is the score
    <span class="strong number">${(r[e]+i[e]).toFixed(3)}</span>. Softmax makes weights of the scores of
    a row:
  </p>`}function Ec(e,t){let n=u`<bdi class="strong">${$(e.rows.labels[e.row])}</bdi>`,o=u`<bdi class="strong">${$(e.keys.labels[e.key])}</bdi>`,s=ce(e,e.row),r=s?u`the place that is ${ne(s)}`:u`the token ${n}`,i=t.is_additive?"v · tanh(query + key)":"their product, number by number",l=s?.writes?u`query, about to write <bdi>${$(s.writes)}</bdi>`:"query";return u`<p class="hint">${So}</p>
    <p class="hint" id="place">The query belongs to ${r}.</p>
    ${Ne("query",l,t.query)} ${Ne("key",u`key of ${o}`,t.key)}
    ${Ne("terms",i,t.terms)} ${Ac(e,t)} ${Ir(t)}
    ${Wr(e,t)} ${Fr(e)}
    <p class="legend"><span>below 0 ${J("less")}</span> <span>above 0 ${J("more")}</span></p>`}function Pc(e,t){let{scores:n,bias:o,allowed:s,weights:r}=t,{labels:i}=e.keys;return _("computed",[".computed > .strip","#score","#softmax","#writes"],()=>[["key","score","position","allowed","weight"],...i.map((d,p)=>[d,n[p],o[p],Number(s[p]),r[p]])],()=>({head:a.view.head,row:e.rows.labels[e.row],key_token:i[e.key],...t,writes:a.inspection.writes?.result??null}))}function qr(){let e=we(),t=a.inspection.result;if(!t||!e||a.server.storedPage)return h;let{showsComputation:n,groupsWords:o,head:s}=a.view,r=t.weights.has(s);n&&!o&&Ms(e);let i=n&&r&&!o?a.inspection.lookup:null,l=B()||i!==null&&i.cell!==ro(e),d=n?r?o?"Heads look at tokens, and not at words. Switch “words” off.":i?Ec(i.view,i.result):"…":u`<p class="hint">${So}</p>
        <p class="hint">What is shown is not one head. Choose a head in the grid.</p>`:`${So} This shows the numbers.`;return u`<section class="panel computed ${l?"stale":""}" aria-labelledby="computed-title">
    <div class="head">
      <h2 id="computed-title">${k("lookup","How this weight is computed")}</h2>
      <button
        id="explain"
        aria-expanded=${n}
        @click=${()=>g({view:{showsComputation:!n}})}
        >${n?"Hide":"Show"}</button
      >
      ${i?Pc(i.view,i.result):h}
    </div>
    ${typeof d=="string"?u`<p class="hint">${d}</p>`:d}
  </section>`}var Mc=()=>T()?.arch==="rnn",_c=()=>[...a.inspection.result?.weights.keys()??[]].some(e=>e.startsWith("decoder.")),Ro={shuffle:{button:"Shuffle the words",says:"The model reads the words of the text in another order.",reason:()=>a.inspection.result?.target===null?"reads no other text than its own":void 0},"no-positions":{button:"Take positions away",says:"Nothing tells the model any more where a token stands: neither positions that are added to embeddings, nor those in the scores. Attention alone sees a set of tokens; the mask is left.",reason:()=>Mc()?"reads token by token: it has no positions to take away":void 0},future:{button:"Let it see the future",says:"No mask: a place may look at the tokens after it, and at the one that it is about to write. The model was trained with the mask, so it has not learnt what to do with them.",reason:()=>_c()?void 0:"reads token by token: it has no mask to take away"}},Vr=0;function Oc(){let e=t=>{let{button:n,reason:o}=Ro[t],s=o(),r=a.inspection.experiment?.result.change===t,i=()=>{t==="shuffle"&&(Vr+=1),Hs(t,Vr)};return u`<button
      data-change=${t}
      aria-pressed=${r}
      ?disabled=${s!==void 0}
      title=${s?`This model ${s}.`:h}
      @click=${i}
      >${n}</button
    >`};return u`<p class="together" data-unsaved>${Object.keys(Ro).map(e)}</p>`}var jr=e=>e.reduce((t,n)=>t+n,0);function Cc({change:e,source:t,tokens:n,before:o,after:s}){let r=s.map((p,m)=>p-o[m]),[i,l]=[jr(o),jr(s)],c=(p,m)=>u`<span class="strong number" id=${m}>${p.toFixed(2)}</span>`,d=u`<p>It reads: <bdi class="strong" id="shuffled">${t}</bdi></p>`;return u`<p>${Ro[e]?.says}</p>
    ${e==="shuffle"?d:h}
    <p>
      The same ${T()?.direction?"translation":"text"} then has a log-probability of
      ${c(l,"sum-after")} in place of ${c(i,"sum-before")} (<span class="number"
        >${cn(l-i,2)}</span
      >
      ${k("log-probability","nats")}). Of each token:
    </p>
    ${un(n,r,"nats")}
    <p class="legend">
      <span><i class="less"></i> less likely then</span>
      <span><i class="more"></i> more likely</span>
    </p>`}function Hc(e){let{tokens:t,before:n,after:o}=e;return _("experiment",[".experiments .changes"],()=>[["token","before","after"],...t.map((r,i)=>[r,n[i],o[i]])],()=>e)}function Ur(){let{result:e,experiment:t,snapshot:n}=a.inspection;if(!Y()||!e||n!==null)return h;let o=t?.inspection===e?t.result:null,s=u`<p class="hint">
    What does the model need to know? Take something away, and see how much less likely each token becomes.
  </p>`;return u`<section class="panel experiments ${B()?"stale":""}" aria-labelledby="experiments-title">
    <div class="head">
      <h2 id="experiments-title">Experiments</h2>
      ${o?Hc(o):h}
    </div>
    ${Oc()} ${o?Cc(o):s}
  </section>`}var Lc=5,Nc=480,Gr=(e,t,n)=>Math.max(0,Math.min(n-1,Math.floor(e/t*n)));function Kr(e){let{importance:t,importanceByToken:n}=a.heads,{sentence:o}=a.inspection,s=e.map(b=>n[b]??[]),r=Math.max(...s.map(b=>b.length));if(!t||!o||!r)return h;let i=S()?0:1,l=Math.max(0,Math.min(a.view.outputPosition-i,r-1)),c=e.findIndex((b,w)=>b===a.view.head&&s[w].length),d=$(Pe()[l]??""),p=c<0?"":`${e[c]} is worth ${s[c][l].toFixed(3)} nats for ${d}.`,m=b=>{b&&er(b,s,r)},f=b=>{let w=b.target.getBoundingClientRect(),y=e[Gr(b.clientY-w.top,w.height,e.length)],v=Gr(b.clientX-w.left,w.width,r)+i;g({view:{head:y,outputPosition:Math.min(v,o.tokens.length-1)}})};return u`<details class="sweep" open>
    <summary>Head by head, token by token</summary>
    <canvas
      id="sweep"
      role="img"
      aria-label="What each head is worth for each token. ${p}"
      ${rt(m)}
      ${A({height:`${Math.min(Lc*e.length,Nc)}px`})}
      @pointerdown=${f}
    ></canvas>
    <p id="sweep-cell" role="status">${p||"Click a cell."}</p>
    <p class="legend">
      <span>without the head, the token is more likely ${J("less")}</span>
      <span>less likely ${J("more")}</span>
    </p>
    <p class="hint">
      A row for each head, in the order above; a column for each
      token${S()?", the end included":" after the first"}.
    </p>
  </details>`}var Ic=44,Wc=.4,Ao={place:()=>0,worth:({head:e})=>-(a.heads.importance?.[e]??0),entropy:({entropy:e})=>e,sharpness:({confidence:e})=>-e,offset:({offset:e})=>e===null?1/0:Math.abs(e),label:({label:e})=>e},zr=()=>a.heads.sortBy!=="place"&&Object.hasOwn(Ao,a.heads.sortBy);function Jr(){let{heads:e}=a.inspection.result;if(zr()){let n=Ao[a.heads.sortBy],o=(s,r)=>n(s)<n(r)?-1:+(n(s)>n(r));return[{layer:"",heads:[...e].sort(o)}]}return[...new Set(e.map(n=>P(n.head)))].map(n=>({layer:n,heads:e.filter(o=>P(o.head)===n)}))}var Yr=()=>a.inspection.result.heads.map(e=>e.head),Zr=e=>Yr().filter(t=>P(t)===P(e));function Qr(e){let t=Yr().filter(s=>s!==e),{disabled:n}=a.heads,o=n.length===t.length&&!n.includes(e);ae(o?[]:t)}function Bc(e,t){let n=Jr().map(({heads:d})=>d.map(p=>p.head)),o=n.findIndex(d=>d.includes(e)),s=n[o].indexOf(e),r=n.flat(),i=r.indexOf(e),l=(d,p)=>d[Math.max(0,Math.min(p,d.length-1))];return{ArrowLeft:l(r,i-1),ArrowRight:l(r,i+1),ArrowUp:l(l(n,o-1),s),ArrowDown:l(l(n,o+1),s),Home:n[o][0],End:n[o].at(-1)}[t]}var Xr={n:()=>De(1),p:()=>De(-1),PageDown:()=>Fe(1),PageUp:()=>Fe(-1)};function Dc(e,t){if(it(e))return;let n=Bc(t,e.key);if(n!==void 0)g({view:{head:n}});else if(Object.hasOwn(Xr,e.key))Xr[e.key]();else if(e.key===" "&&Z())Ke(e.shiftKey?Zr(t):[t]);else if(e.key==="s"&&Z())Qr(t);else return;e.preventDefault(),requestAnimationFrame(()=>document.querySelector(`[data-head="${a.view.head}"]`)?.focus())}function Fc(e){let t=Math.max(...Object.values(a.heads.importance??{}),1e-9),n=he("more",Wc*Math.max(0,e)/t),o=e.toFixed(2).replace("-0.00","0.00");return u`<span class="tag number" aria-hidden="true" ${A({background:n})}>${o}</span>`}function qc({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=a.heads.importance?.[e];return[`${e}: ${t}`,`entropy ${n.toFixed(2)} nats`,`highest weight ${o.toFixed(2)}`,...s===null?[]:[`offset ${s.toFixed(1)}`],...r===void 0?[]:[`worth ${r.toFixed(3)} nats per token`]].join(", ")}function Vc(e,t){let{head:n}=e,o=a.inspection.result.weights.get(n),s=a.heads.disabled.includes(n),r=a.heads.importance?.[n],i=qc(e),l=d=>{d&&Qs(d,o,Ic)},c=n.replace(/^(\w)\w+/,"$1");return u`<button
    class="cell ${s?"off":""}"
    aria-pressed=${a.view.head===n}
    aria-label="${i}${s?", off":""}"
    title=${i}
    data-head=${n}
    tabindex=${t?0:-1}
    @click=${()=>g({view:{head:n}})}
    @keydown=${d=>Dc(d,n)}
    ><canvas ${rt(l)}></canvas>
    ${zr()?u`<span class="tag" aria-hidden="true">${c}</span>`:h}
    ${r===void 0?h:Fc(r)}</button
  >`}function jc(e){let t=a.heads.disabled.includes(e),n=Zr(e).filter(o=>o!==e);return u`<button id="toggle" data-unsaved @click=${()=>void Ke([e])}
      >${t?"Switch on":"Switch off"}</button
    >
    <button id="solo" data-unsaved @click=${()=>Qr(e)}>Solo</button>
    <button data-unsaved @click=${()=>void ae(n)}>Solo in its layer</button>`}function Uc({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=a.heads.importance?.[e],i=u`, ${k("offset","offset")} ${s?.toFixed(1)}`;return u`<div class="chosen">
    <p class="strong" id="head-words">${Gt(e)}</p>
    ${Z()?u`<p class="together">${jc(e)}</p>`:h}
    <p class="hint" id="statistics">
      <span id="head-title">${e}</span>: ${k("label",t)}; ${k("entropy","spread (entropy)")}
      ${n.toFixed(2)} nats, ${k("highest","highest weight")}
      ${o.toFixed(2)}${s===null?h:i}, mean over
      rows.${r===void 0?h:u` Worth ${r.toFixed(3)} nats per token.`}
    </p>
  </div>`}var Gc={entropy:"spread (entropy)",sharpness:"highest weight"};function Kc(){let{sortBy:e,importance:t}=a.heads,n=Object.keys(Ao).filter(s=>s!=="worth"||t),o=s=>u`<option value=${s} ?selected=${s===e}>${Gc[s]??s}</option>`;return u`<label
    >Order
    <select id="order" @change=${s=>g({heads:{sortBy:H(s)}})}>
      ${n.map(o)}
    </select></label
  >`}function Xc(e,t){if(!e)return h;let n=`Layer ${e.split(".")[1]}`;return Z()?u`<button
    class="site"
    title="Switch the whole layer off or on"
    aria-label="${n} (${e})"
    @click=${()=>void Ke(t)}
    >${n}</button
  >`:u`<span class="site">${n}</span>`}function zc(e){return a.inspection.result?.target!=null?e==="encoder"?"Encoder: the text reads itself":e==="cross"?"Cross: the translation reads the text":"Decoder: the translation reads what is written (grey area: not written yet)":"The text reads itself"}function Jc(e){let t=e.map(({layer:n})=>n.split(".")[0]);return[...new Set(t)].map(n=>e.filter((o,s)=>t[s]===n))}function Yc(e,t){let[n]=e[0].layer.split(".");return u`<div class="group">
    ${n?u`<p class="kind hint">${zc(n)}</p>`:h} ${e.map(o=>Zc(o,t))}
  </div>`}function Zc({layer:e,heads:t},n){let o=t.map(s=>s.head);return u`<div class="layer" role="group" aria-label=${e||"all heads"}>
    ${Xc(e,o)}
    <div class="cells ${e?"":"sorted"}" ${A({"--count":String(t.length)})}>
      ${t.map(s=>Vc(s,s.head===n))}
    </div>
  </div>`}function Qc(){let{heads:e}=a.inspection.result,{importance:t,importanceByToken:n,disabled:o}=a.heads,s=c=>t?.[c]??null,r=["head","label","entropy","highest_weight","offset","worth"];return _("heads",["#heads","#sweep",".chosen"],()=>[[...r,...t?Pe():[]],...e.map(({head:c,label:d,entropy:p,confidence:m,offset:f})=>{let b=t?n[c]??[]:[];return[c,d,p,m,f,s(c),...b]})],()=>e.map(c=>({...c,is_off:o.includes(c.head),worth:s(c.head),worth_by_token:n[c.head]??null})))}function ei(){let e=a.inspection.result;if(!e)return u`<section class="panel heads" aria-labelledby="heads-title">
      <div class="head"><h2 id="heads-title">Heads</h2></div>
      <p class="hint">
        A head is one way of looking: each layer has several. All of them appear here, and each can be switched off.
      </p>
    </section>`;let{disabled:t}=a.heads,n=e.heads.find(c=>c.head===a.view.head),o=Jr(),s=n?.head??o[0]?.heads[0]?.head,r=u`<button id="rank" @click=${()=>void Xe()}>Rank all heads</button>
    <span class="hint">by ${k("worth","worth")}</span>`,i=()=>He("heads-off.txt",`${t.join(`
`)}
`);return u`<section
    class="panel heads ${B()?"stale":""}"
    aria-labelledby="heads-title"
    ${A({"--widest":String(Math.max(...o.map(({heads:c})=>c.length)))})}
  >
    <div class="head">
      <h2 id="heads-title">Heads</h2>
      ${Kc()} ${Y()&&Z()?r:h}
      ${t.length?u`<button @click=${i}>List of heads that are off</button>`:h}
      ${Qc()}
    </div>
    ${n?Uc(n):h}
    <div id="heads">${Jc(o).map(c=>Yc(c,s))}</div>
    ${Kr(o.flatMap(({heads:c})=>c.map(d=>d.head)))}
    <p class="hint">
      Click or arrows: look at a head. N, P: the next and the previous one. ${Z()?"Space: switch it off or on. Shift and space: its layer. S: only this one.":h}
    </p>
  </section>`}var Eo=()=>matchMedia("(prefers-reduced-motion: reduce)").matches?"auto":"smooth";function yn(e){requestAnimationFrame(()=>{let t=document.querySelector(e);if(!t)return;let{top:n}=t.getBoundingClientRect();n>=0&&n<innerHeight/2||t.scrollIntoView({behavior:Eo(),block:"start"})})}var ti=150,Mt=40,Po=84,Pt=ti-Po/2,eu=e=>/\.\d+\.\d+$/.test(e);function tu(e){if(e==="embeddings")return e;let[t,n]=e.split("."),o=`layer ${n}`;if(e.endsWith("feed_forward"))return`${o}: feed-forward`;let s=t==="decoder"&&a.inspection.result?.target!==null;return`${o}: reads ${s?"what is written":"the text"}`}function nu({parts:e}){return Object.keys(e).filter(eu).sort((n,o)=>e[o]-e[n])[0]}function ou({name:e,length:t,total:n},o,s){let r=w=>Math.min(Po,Math.max(1,Po*w/s)),[i,l]=[r(o),r(n)],c=Math.min(Mt,r(t)),d=e==="embeddings",p=d?l:i,m=Mt/2,f=Pt-i/2,b=`M 0 ${m} C 30 ${m}, ${f-14} ${m}, ${f+6} ${m+4}`;return I`<path class="state" d="M ${Pt-p/2} 0 L ${Pt+p/2} 0
      L ${Pt+l/2} ${Mt} L ${Pt-l/2} ${Mt} Z"></path>
    ${d?h:I`<path class="added" stroke-width=${c.toFixed(2)} d=${b}></path>`}`}function su(e,{before:t,max:n,expected:o}){let{name:s,length:r,total:i,says:l}=e,c=nu(e),d=c!==void 0&&P(a.view.head)===s,p=()=>{te(c),yn(".alignment")},m=`adds ${r.toFixed(2)}; the state is then ${i.toFixed(2)} long`,f=tu(s),b=u`<button
    class="link"
    title="Show head ${c?.split(".")[2]}, which adds most"
    aria-label="${f}. Show ${c}, the head that adds most"
    @click=${p}
    >${f}</button
  >`;return u`<div class="junction ${d?"here":""}" role="listitem" data-sublayer=${s}>
    <span>${c?b:f}</span>
    <svg viewBox="0 0 ${ti} ${Mt}" preserveAspectRatio="none" role="img" aria-label=${m}>
      <title>${m}</title>
      ${ou(e,t,n)}
    </svg>
    <span class="number length">${r.toFixed(1)}</span>
    ${l?u`<bdi class=${l[0]===o?"strong":""}>${$(l[0])}</bdi
            ><span class="number">${(100*l[1]).toFixed(0)} %</span>`:h}
  </div>`}function ni(e,t){if(a.server.storedPage||Ze()||!a.inspection.result?.weights.size)return;Os(e);let{stream:n}=a.inspection;if(!n)return u`<p class="hint">…</p>`;let{sublayers:o}=n.result,s=Math.max(...o.map(({total:d})=>d)),[r]=o,{token:i,position:l}=r?.parts??{},c=u`The first row has two parts: the embedding of the token, ${i?.toFixed(1)} long, and that of
  its position, ${l?.toFixed(1)} long. So the state knows from the first row on where the token stands. (Vectors
  point in different directions, so lengths do not add up.)`;return u`<div class="captions" aria-hidden="true">
      <span>part</span><span class="state-caption">state</span><span class="number length">adds</span
      ><span>would write</span><span class="number">likely</span>
    </div>
    <div class="stream ${n.cell===fe(e)?"":"stale"}" role="list">
      ${o.map((d,p)=>su(d,{before:o[p-1]?.total??0,max:s,expected:t}))}
    </div>
    <p class="hint">
      From top to bottom, ${k("stream","the state")} of the place above grows: each attention and each feed-forward
      layer adds a vector of the length beside it. The last columns have the token that the output layer would write
      from the state as it is there, and how likely (the ${k("lens","logit lens")}). Before the last layers this is
      a hint only: the state is made for the layers that follow. At the top it is still the token that was read.
      ${l===void 0?"The embedding has no part for the position.":c}
    </p>`}var ru=5;async function Ie(){Je(),await si()}async function oi(){let{text:e}=a.request,t=ee(),n=()=>t!==null&&ee()===t&&a.request.text===e&&!a.status.error;await si();for(let o of t?.edits??[])n()&&await iu(o);t&&n()&&await au(t,n),ee()===t&&!a.status.error&&Je(),g({})}async function iu({sentenceIndex:e,edit:t}){if(!a.output.sentences[e]?.isDone)return;let{sentenceIndex:n,outputPosition:o}=a.view;g({view:{sentenceIndex:e}}),await(t.kind==="prefix"?li(t.position,t.token,t.prefix):lt(t)),g({view:{sentenceIndex:n,outputPosition:o}}),e!==n&&await F()}async function au(e,t){let{snapshot:n,compared:o,tracesSearch:s,ranksHeads:r}=e,{sortBy:i}=a.heads;s&&t()&&await me(),r&&t()&&await Xe(),g({heads:{sortBy:i}}),o&&t()&&await _t(o),n!==null&&T()?.snapshots?.includes(n)&&t()&&await tn(n)}async function si(){let{text:e,isHtml:t}=a.request;if(_e("inspect"),!S())return;if(!e.trim())return _e("translate"),g(...Vt);if(t)return await lu(e);await E("translate","Translating",async o=>{let s=Ve(),r={...U(),...s,text:e,alternatives:qe};await ri(r,o,{decoding:s},i=>{let l=Math.max(0,Math.min(a.view.sentenceIndex,i.length-1));g({output:{sentences:i,sourceText:e,html:"",compared:null},view:{hoveredToken:null,sentenceIndex:l}})})})&&x()?.isDone&&await F()}async function lu(e){await E("translate","Translating",async t=>{let n={...U(),...Ve(),text:e,format:"html"},{text:o}=await O("translate",n,t);g({output:{html:o,sourceText:e,sentences:[]}},jn)})}async function ri(e,t,n,o){let s=a.request.temperature?{}:{n_best:Math.min(a.request.beamSize,ru)},r=[];for await(let{name:i,data:l}of hs({...e,...s},t)){if(t.aborted)return;if(i==="meta"){for(let c=0;c<l.sentences;c++)r.push({...et(),index:c,...n});continue}if(i==="error")throw new G(l.status,l.message);if(i==="token"){let c=r[l.sentence];c.text=l.text,c.tokens.push(...l.tokens??[])}else i==="done"&&cu(r,l,n.separator);o(r)}}function cu(e,{text:t,sentences:n},o){let s=0;n.forEach((r,i)=>{let{text:l,score:c,source:d,ids:p,n_best:m=[]}=r,f=Math.max(t.indexOf(l,s),s),b={text:l,score:c,source:d,ids:p,nBest:m,isDone:!0,separator:o??t.slice(s,f)};io(Object.assign(e[i],b),r),s=f+l.length})}function ii(){let e=Object.values(a.inspection.result?.tokens??{}).at(-1)?.rows;return e?.offsets.at(-1)===null?e.spelled.at(-1):void 0}var ai=e=>!tt(e)||S()&&e===ii();async function Mo(e,t){let n=x();if(!n?.isDone)return;let o=n.tokens.slice(0,e).map(s=>s.token);D(),await $n(async()=>{t===ii()?await lt({text:z(o),ids:n.ids.slice(0,e)}):await li(e,t,z([...o,t]))})}async function $n(e){let t=document.activeElement?.closest(".alternatives, .before, .nbest");await e(),Ge(()=>{let{activeElement:n}=document,o=!n||n===document.body||n.disabled;if(!t||!o)return;(document.querySelector('#output .token[aria-pressed="true"]')??document.querySelector("#output .token"))?.focus()})}async function li(e,t,n){let o=x(),{sentences:s}=a.output,{sentenceIndex:r}=a.view;if(!o?.isDone)return;let{source:i,separator:l}=o,c=Ve(),d={...U(),...c,text:i,prefix:n,split:!1,alternatives:qe},p={kind:"prefix",position:e,token:t,prefix:n},m={source:i,separator:l,decoding:c,prefix:n,original:o.original??o,edit:p},f=s,b=await E("translate","Decoding again",async y=>{await ri(d,y,m,([v])=>{f=s.with(r,v),g({output:{sentences:f,compared:null},view:{outputPosition:e}})})});f!==s&&a.output.sentences===f&&!f[r].isDone&&g({output:{sentences:s}}),b&&x()?.isDone&&await F()}async function _o(){let{original:e}=x()??{};e&&(D(),await $n(async()=>{let{sentenceIndex:t,outputPosition:n}=a.view;g({output:{sentences:a.output.sentences.with(t,e),compared:null},view:{outputPosition:Math.min(n,e.tokens.length-1)}}),await F()}))}async function ci(e,{text:t,ids:n},o){let s=n.length?{target_ids:n}:{target_text:t},r={...U(),text:e.source,...s,alternatives:qe},i=await O("score",r,o),l={...e,text:t,ids:i.ids,original:e.original??e,edit:{kind:"translation",text:t,ids:i.ids},score:i.log_prob,tokens:[]};return io(l,{...i,tokens:i.tokens.slice(0,-1)}),l}async function _t(e){let t=x(),{compared:n}=a.output;if(!t||n&&nn(n,e))return g({output:{compared:null}});await E("compare","Reading",async o=>{g({output:{compared:await ci(t,e,o)}})})}async function lt(e){let t=x(),{sentenceIndex:n}=a.view;if(!t)return;await E("translate","Reading",async s=>{let r=await ci(t,e,s),i=Math.max(0,Math.min(a.view.outputPosition,r.tokens.length-1));g({output:{sentences:a.output.sentences.with(n,r),compared:null},view:{outputPosition:i,hoveredToken:null}})})&&await F()}var di=.55,uu=-3,ct=e=>`${(100*Math.exp(e)).toFixed(e>Math.log(.1)?0:1)} %`,Oo=e=>({background:e===null?"":he("doubt",di*Math.min(1,e/uu))});function pi(e,t){let n=a.view.sentenceIndex!==e;g({view:{sentenceIndex:e,outputPosition:t}},n?{output:{compared:null}}:{}),n&&F()}function du(e,t,n){let o=a.output.sentences[t].tokens.length,s=getComputedStyle(e.target).direction==="rtl"?-1:1,i={ArrowLeft:n-s,ArrowRight:n+s,Home:0,End:o-1}[e.key];i===void 0||i<0||i>=o||it(e)||(e.preventDefault(),pi(t,i),document.querySelector(`[data-sentence="${t}"] [data-place="${i}"]`)?.focus())}function hi({edit:e},t,n){return e?.kind==="prefix"&&e.position===n&&e.token===t.token}function pu(e,t,n,o,s){let r=e.tokens[t],{outputPosition:i}=a.view,l=a.view.sentenceIndex===n,c=l&&i===t,d=t===0&&(!l||i>=e.tokens.length),p=hi(e,r,t);return u`<button
    class="token ${o?"new":""} ${p?"prefix-end":""} ${s}"
    ${A(Oo(r.log_prob))}
    aria-pressed=${c}
    tabindex=${c||d?0:-1}
    data-place=${t}
    aria-description=${r.log_prob===null?"":ct(r.log_prob)}
    title=${p?"written by you":h}
    @click=${()=>pi(n,t)}
    @keydown=${m=>du(m,n,t)}
    @pointerenter=${m=>fu(m,n,t)}
    @pointerleave=${mi}
    dir="auto"
    >${$(r.token)}</button
  >`}var hu=200,mu=280,ui=8,xn=0;function fu(e,t,n){if(e.pointerType==="touch"||(clearTimeout(xn),!a.output.sentences[t]?.tokens[n]?.alternatives.length))return;let{left:o,bottom:s}=e.target.getBoundingClientRect();g({view:{hoveredToken:{sentenceIndex:t,position:n,left:o,bottom:s}}})}function mi(){clearTimeout(xn),xn=window.setTimeout(()=>{a.view.hoveredToken&&g({view:{hoveredToken:null}})},hu)}function kn(e){let{hoveredToken:t,sentenceIndex:n,outputPosition:o}=a.view;if(!t)return h;let{sentenceIndex:s,position:r,left:i,bottom:l}=t,c=a.output.sentences[s],d=c?.tokens[r];if(!d||s===n&&r===o)return h;let p=b=>{g({view:{sentenceIndex:s,outputPosition:r,hoveredToken:null}}),e(r,b)},m=innerWidth-mu-ui,f={left:`${Math.max(ui,Math.min(i,m))}px`,top:`${l}px`};return u`<div
    class="peek"
    aria-hidden="true"
    @pointerenter=${()=>clearTimeout(xn)}
    @pointerleave=${mi}
    ${A(f)}
  >
    ${fi(c,d,p,-1)}
  </div>`}function fi(e,t,n,o){let s=(r,i)=>{let l=r===t.token;return u`<button
      class="bar ${l?"own":""}"
      tabindex=${o}
      ?disabled=${l||!e.isDone||!ai(r)}
      @click=${()=>n(r)}
      ><bdi>${$(r)}</bdi
      ><span class="track"><span ${A({width:`${100*Math.exp(i)}%`})}></span></span>
      <span class="number">${ct(i)}</span></button
    >`};return t.alternatives.map(([r,i])=>s(r,i))}function vn(e){let t=x(),{outputPosition:n}=a.view,o=t?.tokens[n];if(!t||!o?.alternatives.length)return h;let s=$(o.token);return u`<div class="alternatives" role="group" aria-label="Other tokens in the place of ${s}">
    <p class="hint">
      In the place of <bdi class="strong">${s}</bdi>.
      <span data-unsaved>Choose a token: it is written, and the rest is decoded again.</span>
    </p>
    ${fi(t,o,r=>void e(n,r),0)}
  </div>`}var gu=e=>u`<button
    class="unpin"
    data-unsaved
    title="Take it back"
    aria-label="Take ${$(e)} back"
    @click=${()=>void _o()}
    >✕</button
  >`,Co=(e,t)=>t&&e.startsWith("▁")?" ":h;function bu(e,t){let{original:n}=e;if(!n||!e.isDone)return h;let o=u`<button id="take-back" data-unsaved @click=${()=>void _o()}>Take it back</button>`;return u`<p class="before hint">
    before: <bdi>${Ce(n.text,e.text,"deleted")}</bdi> ${t===a.view.sentenceIndex?o:h}
  </p>`}function ut(e,t){let n=ao(e),o=e.tokens.map(c=>c.token),s=!e.isDone&&a.status.busy.translate,r=o.map((c,d)=>{let p=nt(o,d),m=pu(e,d,t,n[d],p),b=e.isDone&&hi(e,e.tokens[d],d)&&t===a.view.sentenceIndex;return u`${Co(c,d)}${m}${b?gu(c):h}`}),i=ge(z(o)),l=`Sentence ${t+1}`;return u`<p class="output" dir=${i} data-sentence=${t} role="group" aria-label=${l}>
      ${r}${s?u`<span class="caret"></span>`:h}
    </p>
    ${bu(e,t)}`}function dt(){let e=a.output.sentences.some(s=>ao(s).some(Boolean)),t=x()?.edit?.kind==="prefix",n=u`<span><u class="new">underlined</u>: other than before</span>`,o=u`<span><span class="token prefix-end">framed</span>: written by you</span>`;return u`<p class="legend" id="doubts">
    <span>${k("probability","the model was sure")} ${J("doubt",di)} unsure</span>
    ${e?n:h} ${t?o:h}
  </p>`}function pt(){let e=a.output.sentences.flatMap((t,n)=>t.tokens.flatMap(({token:o,log_prob:s,alternatives:r},i)=>{let l=[n,i,o,s];return r.length?r.map(c=>[...l,...c]):[[...l,"",null]]}));return[["sentence","place","token","log_prob","alternative","its_log_prob"],...e]}var wu=900,gi=0;function bi(){g({view:{isPlaying:!a.view.isPlaying}}),clearInterval(gi),a.view.isPlaying&&(gi=window.setInterval(yu,wu))}function yu(){let e=(a.inspection.sentence?.tokens.length??1)-1;a.view.outputPosition>=e?bi():g({view:{outputPosition:a.view.outputPosition+1}})}var $u=e=>e?`layer ${e-1}`:"embeddings";function xu(e,t,n){let o=(s,[r,i])=>u`<div class="change" role="listitem">
      <span>${$u(s)}</span
      ><span class="track"><span ${A({width:`${100*i}%`})}></span></span>
      <bdi class=${r===n?"strong":""}>${$(r)}</bdi
      ><span class="number">${(100*i).toFixed(0)} %</span>
    </div>`;return u`<div class="lens" role="list">
      ${e.map((s,r)=>o(r,s[t]??["",0]))}
    </div>
    <p class="hint">
      What the output layer makes of each layer's state (the ${k("lens","logit lens")}). Early layers were not
      trained for this: read it as a hint.
    </p>`}function ku(e,t){return _("layers",[".lens",".stream"],()=>[["step","layer","token","probability"],...t.flatMap((o,s)=>o.map(([r,i],l)=>[l,s?s-1:"embeddings",r,i]))],()=>({tokens:e.tokens.map(o=>o.token),layers:t,stream:a.inspection.stream?.result.sublayers??null}))}function vu(e,t,n){let o=Math.max(0,e.tokens.length-1),{token:s="",log_prob:r}=e.tokens[t]??{},{isPlaying:i}=a.view,l=typeof r=="number"?u` (<span id="probability">${ct(r)}</span>)`:h,c=e.tokens.map(w=>w.token),d=u`<bdi class="strong">${$(s)}</bdi>${l}`,p=!n&&a.inspection.result.target!==null,m=()=>ne($o(c,t),"about",l),f=u`${d}; this place is ${ne(xo(c,t))}`,b=p?m():n?f:d;return u`<div class="controls">
    <button id="play" @click=${bi} aria-label=${i?"Pause":"Play"}
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
      @input=${w=>g({view:{outputPosition:Number(H(w))}})}
    />
    <span>token ${t+1} of ${o+1}: ${b}</span>
  </div>`}function Tu(){let e=t=>{let n=`${C}${t}`,o=()=>{te(n),yn(".alignment")};return u`<button aria-pressed=${a.view.head===n} @click=${o}>${t.replace("-"," ")}</button>`};return u`<p class="flows">
    <span class="hint">The share of each token of the input in the output, ${k("flow","through all layers")}:</span>
    ${pe.map(e)}
  </p>`}function wi(){let{sentence:e,result:t,flow:n}=a.inspection;if(!t||!e)return h;let{storedPage:o}=a.server,{lens:s,target:r,token_log_probs:i}=t,l=s.length>0,c=Math.max(0,Math.min(a.view.outputPosition,e.tokens.length-1)),d=r===null&&i.length>0,p=e.tokens[d?c+1:c]?.token,m=o?"This page was stored without what each layer would say; regard inspect --lens stores it.":"This model's layers cannot be read through its output layer.",f=n!==null&&a.view.head.startsWith(C);return u`<section class="panel layers ${B()?"stale":""}" aria-labelledby="layers-title">
    <div class="head">
      <h2 id="layers-title">Through the layers</h2>
      ${l?ku(e,s):h}
    </div>
    ${vu(e,c,d)}
    ${ni(c,p)??(l?xu(s,c,p):u`<p class="hint">${m}</p>`)}
    ${o?h:Tu()}
    ${f?u`<p class="hint" id="caveat">The alignment shows it. ${n.caveat}</p>`:h}
  </section>`}var Lo=300,ht=120,mt=17,vi=6,Tn=14,Su=3*Tn+4,Ru=2*Tn+4,yi=12;function Ho(e){let t=[...a.inspection.result.weights.keys()];return new Set(t.filter(n=>n.startsWith(`${e}.`)).map(P)).size}function Au(){let e=a.inspection.result.target!==null,t=(o,s)=>{let r=s.filter(([l])=>Ho(l)),i=Math.max(0,...r.map(([l])=>Ho(l)));return Array.from({length:i},(l,c)=>[...r.map(([d,p])=>({site:`${d}.${c}`,label:p})),{site:`${o}.${c}.feed_forward`,label:"feed-forward"}])};if(!e){let o=Ho("decoder")?"decoder":"encoder";return[{name:o,x:(Lo-ht)/2,layers:t(o,[[o,"reads the text"]])}]}let n=t("decoder",[["decoder","reads what is written"],["cross","reads the text"]]);return[{name:"encoder",x:2,layers:t("encoder",[["encoder","reads itself"]])},{name:"decoder",x:Lo-ht-2,layers:n}]}function No(e){let{head:t}=a.view;return a.inspection.result.weights.has(t)?P(t)===e:t.startsWith(C)?!1:t.startsWith(q)?t===`${q}${e}`:e.startsWith(`${we().kind}.`)&&e.split(".").length===2}var $i=e=>e.length>yi?`${[...e].slice(0,yi-1).join("")}…`:e;function Eu({x:e,layers:t},n){let o=n;return t.flatMap(s=>{let r=s.map(i=>({...i,x:e,y:o-=mt}));return o-=vi,r})}function xi({site:e,label:t,x:n,y:o}){return I`<g class=${No(e)?"band here":"band"} data-site=${e}>
    <rect x=${n} y=${o} width=${ht} height=${mt-2} rx="3"></rect>
    <text x=${n+ht/2} y=${o+mt/2-1} dy="0.35em">${t}</text>
  </g>`}var ki=(e,t,n)=>e.map((o,s)=>I`<text class="side" x=${t+ht/2} y=${n+(s+.5)*Tn} dy="0.35em">${o}</text>`);function Pu(e,{site:t,x:n,y:o}){let[s,r]=[e.x+ht,e.y+mt/2],i=(s+n)/2,l=o+mt/2-1;return I`<path class=${No(t)?"reads here":"reads"}
    d="M ${s} ${r} C ${i} ${r}, ${i} ${l}, ${n-6} ${l}"></path>
    <path class=${No(t)?"tip here":"tip"} d="M ${n-7} ${l-4} l 7 4 l -7 4 Z"></path>`}function Mu(e){let t=Au(),n=t.map(({layers:p})=>p.flat().length*mt+Math.max(0,p.length-1)*vi),o=Su+Math.max(...n),[s,r]=t.map(p=>Eu(p,o)),i=ce(e,e.row),l=s.at(-1),c=({name:p,x:m},f)=>{let b=p==="decoder"?i:null,y=r!==void 0&&p==="decoder"?"what is written":"the text",v=b?.read==null?[y]:["has read up to",$i($(b.read))],R=b?[p,"about to write",$i($(b.writes??"…"))]:[p],M=f.at(-1)?.y??o;return I`${ki(v,m,o+2)} ${ki(R,m,M-4-R.length*Tn)}`},d=r?.filter(p=>p.site.startsWith("cross."))??[];return u`<svg
    id="map"
    viewBox="0 0 ${Lo} ${o+Ru}"
    role="img"
    aria-label="The stacks of the model. Lit: ${a.view.head}"
  >
    ${s.map(xi)} ${r?.map(xi)} ${l?d.map(p=>Pu(l,p)):h}
    ${t.map((p,m)=>c(p,m?r:s))}
  </svg>`}function _u(e){let t=ce(e,e.row),n=Number(P(a.view.head).split(".").at(-1)),o=n?`layer ${n-1}`:"the embeddings",s=t?u`the state of the place that is ${ne(t)}`:u`the state of <bdi class="strong">${$(e.rows.labels[e.row])}</bdi>`,r="Its keys and values come from the encoder: its last layer has a state for each token of the text.",i=`Its keys and values come from the same layer: the states of ${e.kind==="decoder"?"all tokens that were read up to there":"all tokens"}, as they are after ${o}.`;return u`<p id="origins">
    The query of this head comes from ${s}. ${e.kind==="cross"?r:i}
  </p>`}function Ti(){let{result:e}=a.inspection,t=we();if(!e||!t||e.arch==="rnn")return h;let n=u`<p id="origins">
    What is shown now is no head: it goes through all layers, from the text to what is written.
  </p>`,o=e.weights.has(a.view.head);return u`<section class="panel map ${B()?"stale":""}" aria-labelledby="map-title">
    <div class="head"><h2 id="map-title">Where it stands</h2></div>
    ${Mu(t)} ${o?_u(t):t.kind==="flow"?n:h}
  </section>`}var Si=()=>({id:"",step:0,token:"",candidate:null,children:[],path:[],ids:[],isOnBestPath:!0});function Ou({trace:e}){let t=Si(),n=[];for(let[o,s]of e.entries()){let r=new Set(s.filter(i=>i.fate==="dropped").slice(0,2));n=s.map((i,l)=>{let{fate:c,token:d,id:p}=i,m=i.parent===null?t:n[i.parent];if(!m||c==="dropped"&&!r.has(i))return;let f=c==="finished",b=f?m.path:[...m.path,d],w=f?m.ids:[...m.ids,p],y={...Si(),id:`${o}.${l}`,step:o+1,token:d,candidate:i,path:b,ids:w};return m.children.push(y),y})}return t}function Io(e,t,n){let o=e.step===n,r=(e.candidate?.fate==="finished"||o)&&String(e.ids)===String(t),i=e.children.map(l=>Io(l,t,n)).some(Boolean);return e.isOnBestPath=i||r,e.isOnBestPath}var Ot=null;function Ri(e,t){if(Ot?.trace===e&&Ot.ids===String(t))return Ot;let n=Ou(e),o=e.trace.length,s=Io(n,t,o);s||Io(n,e.sentences[0]?.ids??[],o);let r=[],i=0,l=(d,p,m)=>{let f={node:d,parent:p,x:8+84*m,y:32*(i+1)};r.push(f),d.children.length||(i+=1);let b=[...d.children].sort((w,y)=>Number(y.isOnBestPath)-Number(w.isOnBestPath));for(let w of b)l(w,f,m+1)};l(n,null,0);let c=Math.max(...r.map(d=>d.x))+84;return Ot={trace:e,ids:String(t),isFound:s,nodes:r,width:c,height:32*(i+1)},Ot}function Ai({x:e,y:t,parent:n}){let o=n.x+(n.parent?34:4),s=e-30,r=s-6;return n.y===t?`M ${o} ${t} L ${s} ${t}`:`M ${o} ${n.y} C ${r} ${n.y}, ${r-6} ${t}, ${s} ${t}`}function Ei({nodes:e},t,n){let o=e.filter(l=>l.x===t.x).sort((l,c)=>l.y-c.y),[s]=e.filter(l=>l.parent===t).sort((l,c)=>l.y-c.y),r=o.indexOf(t);return{ArrowLeft:t.parent?.parent?t.parent:void 0,ArrowRight:s,ArrowUp:o[r-1],ArrowDown:o[r+1]}[n]}var Pi=9,Cu={active:"went on",finished:"ended",dropped:"was dropped"};function Hu(e){let t=[...$(e)];return t.length>Pi?`${t.slice(0,Pi-1).join("")}…`:t.join("")}function Mi({path:e,ids:t}){e.length&&(D(),lt({text:z(e),ids:t}))}async function Lu({path:e,ids:t}){await _t({text:z(e),ids:t}),requestAnimationFrame(()=>document.querySelector("#compared")?.scrollIntoView({block:"nearest"}))}function Nu({node:e}){let{fate:t,score:n}=e.candidate,o=z(e.path),s=String(e.ids)===String(x()?.ids),r=u`<button id="open" @click=${()=>Mi(e)}>Open in the other panels</button>
    <button id="beside" @click=${()=>void Lu(e)}>Compare with the chosen one</button>`;return u`<p id="candidate" role="status">
    <bdi class="strong">${o||"nothing"}</bdi> ${Cu[t]} at step ${e.step}, with a score of
    <span class="strong number">${n.toFixed(3)}</span>. ${o&&!s?r:h}
  </p>`}function Iu(e,t,n){let s=e.key==="Enter"||e.key===" "?n:Ei(t,n,e.key);s&&(e.preventDefault(),g({search:{candidate:s.node.id}}),requestAnimationFrame(()=>document.querySelector(`#tree [data-node="${s.node.id}"]`)?.focus()))}var _i=({node:e})=>`${e.isOnBestPath?"best":""} ${e.candidate.fate}`;function Wu(e){return I`<path class="branch ${_i(e)}" d=${Ai(e)}></path>`}function Bu(e,t,n){let{node:o,x:s,y:r}=t,{fate:i,score:l}=o.candidate;return I`<g class="node ${_i(t)}" tabindex=${n?0:-1} data-node=${o.id} role="button"
      aria-pressed=${o.id===a.search.candidate}
      aria-label="${$(o.token)}, ${i}, score ${l.toFixed(2)}" transform="translate(${s}, ${r})"
      @click=${()=>g({search:{candidate:o.id}})} @dblclick=${()=>Mi(o)}
      @keydown=${c=>Iu(c,e,t)}>
    <text dy="-0.1em" text-anchor="middle">\u2068${Hu(o.token)}\u2069</text>
    <text class="score" dy="1.1em" text-anchor="middle">${l.toFixed(2)}</text>
    <title>${z(o.path)} (${l.toFixed(3)})</title></g>`}function Du(e,t){let n=e.nodes.slice(1),o=t??n[0];return u`<div class="scroll">
    <svg
      id="tree"
      width=${e.width}
      height=${e.height}
      role="group"
      aria-label="Tree of the search, ${n.length} candidates. Arrow keys go from one to another."
    >
      ${n.map(Wu)} ${n.map(s=>Bu(e,s,s===o))}
    </svg>
  </div>`}function Fu(e,t,n){if(t)return u`<p class="hint">This is the search for another translation.</p>`;if(n)return h;let o="temperature"in e.decoding?"The translation above was drawn. This is what beam search would have tried.":"The translation above is not among these: it was chosen otherwise.";return u`<p class="hint" id="unsearched">${o}</p>`}function qu(e,t,n){let o=Ri(e,t.ids),s=o.nodes.slice(1).find(i=>i.node.id===a.search.candidate),r=u`<p class="hint" id="with-prefix">
    All begin with what you wrote: <bdi class="strong">${t.prefix}</bdi>
  </p>`;return u`${Du(o,s)} ${s?Nu(s):h}
    ${Fu(t,n,o.isFound)} ${t.prefix?r:h}
    <p class="hint">
      From left to right, a step for each token; below each token is its score, the log-probability of all up to there.
      The top row is <span class="sign best">${o.isFound?"the chosen hypothesis":"the best hypothesis"}</span>.
      Others <span class="sign dropped">were dropped</span> (of each step, the best two are drawn) or
      <span class="sign finished">ended</span>. Click a token to open its text in the other panels, or to compare it.
    </p>`}function Vu(e){return _("search",["#tree"],()=>[["step","place","parent","token","log_prob","score","fate"],...e.trace.flatMap((n,o)=>n.map(({parent:s,token:r,log_prob:i,score:l,fate:c},d)=>[o+1,d,s,r,i,l,c]))],()=>e)}function Oi(){let e=x(),{trace:t}=a.search;if(!a.inspection.result||!e||!S())return h;let n=t!==null&&t.requestKey!==Ye(e),o=u`<p class="hint">
    Beam search keeps the ${a.request.beamSize} best beginnings at each step. This draws them, and the best that it
    dropped.
  </p>`;return u`<section class="panel search ${n?"stale":""}" aria-labelledby="search-title">
    <div class="head">
      <h2 id="search-title">${k("search","Search")}</h2>
      <button id="search" @click=${()=>void me()}>${t?"Search again":"Show the search"}</button>
      ${t?Vu(t):h}
    </div>
    ${t?qu(t,e,n):o}
  </section>`}function Ci(){let e=T()?.snapshots??[];if(!e.length||!S()||!x()?.isDone)return h;let{snapshot:t,result:n}=a.inspection,o=t===null?e.length:e.indexOf(t),s=l=>{let c=e[Number(H(l))];c===void 0?F():tn(c)},r=t===null?"the model itself":u`after <span class="strong number">${t.toLocaleString("en")}</span> steps`,i=u`<p>
    Written then: <bdi id="snapshot-written" class="strong">${n?.written||"nothing"}</bdi>
  </p>`;return u`<section class="panel snapshots ${B()?"stale":""}" aria-labelledby="snapshots-title">
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
    ${t!==null&&n?.written!==void 0?i:h}
    <p class="hint">The panels above show what the model looked at then, while the same translation was written.</p>
  </section>`}function Hi(){let e=a.inspection.result,t=x(),{note:n,says:o}=a.server.storedPage;return u`<section class="panel stored" aria-labelledby="text-title">
    <div class="head">
      <h2 id="text-title">Text</h2>
      ${_("text",["#text",".stored .output[data-sentence]"],pt,()=>t)}
    </div>
    <p dir="auto" id="text" class="output">${e.text}</p>
    ${o?u`<p dir="auto" id="says">${o}</p>`:h} ${ut(t,0)}
    ${e.token_log_probs.length?dt():h}
    <p class="hint">
      Choose a token: the other panels follow. This page was stored and has no model behind it. On the page of
      <code>regard serve MODEL</code>, other tokens can be forced and heads switched off.
    </p>
    ${n?u`<p class="hint" id="note">${n}</p>`:h}
  </section>`}function Li(){let e=document.querySelector("#data");return e?JSON.parse(e.textContent):null}async function ju(e){let t=Uint8Array.from(atob(e),n=>n.charCodeAt(0));return await new Response(new Blob([t]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer()}function Sn(e){let{text:t,target:n,tokens:o,token_log_probs:s}=e,{spelled:r,offsets:i}=Object.values(o).at(-1).rows,l=n!==null&&r.length>1&&i.at(-1)===null,c=n===null?1:0;return{...et(),source:t,text:n??t,isDone:!0,tokens:(l?r.slice(0,-1):r).map((d,p)=>({token:d,log_prob:s[p-c]??null,alternatives:[]}))}}async function Uu({packed:e,bytes:t,parts:n}){let o=await ju(e),s=t===2?new Uint16Array(o):new Uint8Array(o),r=t===2?65535:255,i=new Map,l=0;for(let{heads:c,rows:d,keys:p}of n)for(let m of c){let f=l+d*p;i.set(m,{rows:d,keys:p,values:s.subarray(l,f),scale:r-1,forbidden:r}),l=f}return i}async function Ni(e){let t=await Uu(e),n={...e.inspection,request:{},weights:t},o=Sn(n),{text:s}=n;Qt(),Ee({server:{storedPage:{note:e.note,says:e.says}},inspection:{result:n,sentence:o},output:{sentences:[o],sourceText:s},request:{text:s}});let{head:r}=a.view;g({view:{head:t.has(r)?r:e.first,sentenceIndex:0},heads:{disabled:[]}})}var Ii=[20,50,100,200];async function Gu(e,t,n){let o={model:T().name,prompt:e,...t,logprobs:qe,echo:!0},{choices:s}=await O("v1/completions",o,n),{text:r,logprobs:i}=s[0];if(!i)throw new Error("The server must send the log-probabilities that were asked for.");let l=i.tokens.map((c,d)=>({token:c.replaceAll(" ","▁"),log_prob:i.token_logprobs[d]??null,alternatives:Object.entries(i.top_logprobs[d]??{}).sort((p,m)=>m[1]-p[1])}));return{text:r,ids:i.token_ids,tokens:l}}async function Ku(e,t){let{name:n,max_tokens:o}=T(),s=o??1/0;if(!e.trim())return s-1;let{tokens:r}=await O("inspect",{model:n,text:e},t);return s-Object.values(r)[0].keys.spelled.length}async function Wo(e=null){let{text:t}=a.request,n=e?.prefix??t,o=e&&(x()?.original??x()??null);await E("translate","Writing",async s=>{let{name:r,max_tokens:i}=T(),{temperature:l,seed:c}=a.request,d=Math.min(a.request.maxTokens,await Ku(n,s));if(d<1)throw new Error(`The text has as many tokens as the model can read: ${i}.`);let p={max_tokens:d,temperature:l,seed:c},{text:m,tokens:f,ids:b}=await Gu(n,p,s),w=b.slice(0,i??b.length),y=await Ue({model:r,text:m,ids:w},s),v=Sn(y).tokens,R={...et(),source:n,text:m,ids:w,decoding:p,original:o,edit:e,isDone:!0,tokens:v.map((xe,ft)=>({...xe,alternatives:f[ft]?.alternatives??[]}))},M=Math.max(0,Math.min(e?.position??0,v.length-1));g({output:{sentences:[R],sourceText:t,attribution:null},view:{sentenceIndex:0,outputPosition:M,hoveredToken:null},search:{trace:null}}),St(y,R)}),a.heads.disabled.length&&!W()&&await Q()}async function Bo(e,t){let n=x().tokens.slice(0,e),o=z([...n.map(s=>s.token).filter(s=>!tt(s)),t]);D(),await $n(()=>Wo({kind:"prefix",position:e,token:t,prefix:o}))}async function Xu(){let{text:e}=a.request;await E("translate","Reading",async t=>{let n=await Ue({model:T().name,text:e},t),o=Sn(n),s=n.predicted?.length?await O(`inspect/${n.id}/flow/gradient`,void 0,t):null;g({output:{sentences:[o],sourceText:e,attribution:s&&{...s,inspection:n}},view:{sentenceIndex:0,outputPosition:0},search:{trace:null}}),St(n,o)}),a.heads.disabled.length&&!W()&&await Q()}async function Rn(){Je(),D(),await Ct()}async function Ct(){if(S())return await oi();let e=ee(),{outputPosition:t}=a.view,n=T()?.arch==="decoder";await(n?Wo():Xu());for(let{edit:o}of e?.edits??[])ee()===e&&o.kind==="prefix"&&n&&await Wo(o);if(e?.ranksHeads&&ee()===e&&await Xe(),e&&ee()===e){Je();let o=(x()?.tokens.length??1)-1;g({view:{outputPosition:Math.max(0,Math.min(t,o))}})}}function An(){let[e]=T()?.examples??[];e&&!a.request.text&&g({request:{text:e},output:{isExample:!0}})}function Wi(e){let t=T();g({request:{modelName:e},heads:{disabled:[]},view:{head:"",outputPosition:0,inputPosition:null},tokenCounts:{total:null},...a.output.isExample?{request:{modelName:e,text:""},output:{isExample:!1}}:{}}),An(),Do(t),a.request.text.trim()&&Rn()}function Do(e){let t=T(),n=e?.arch===t?.arch&&e?.task===t?.task,o=!!e?.direction;(!n||o!==S()||!a.request.text.trim())&&g(...Vt)}var En=[0,.5,.8,1,1.3],zu=/^und-und(-x-|$)/;function Pn(){let{modelName:e}=a.request,{models:t}=a.server;if(t.length<2)return u`<span class="hint">${zu.test(e)?h:e}</span>`;let n=o=>u`<option value=${o} ?selected=${o===e}>${o}</option>`;return u`<select id="model" aria-label="Model" @change=${o=>Wi(H(o))}>
    ${t.map(o=>n(Be(o)))}
  </select>`}function $e(e,t,n,o,s,r=String){let i=[...new Set([...t,n])].sort((c,d)=>c-d),l=c=>u`<option value=${c} ?selected=${c===n}>${r(c)}</option>`;return u`<select id=${e} aria-label=${s} @change=${c=>o(Number(H(c)))}>
    ${i.map(l)}
  </select>`}var Mn=()=>a.status.busy.translate?u`<button @click=${()=>_e("translate")}>Stop</button>`:h;var Ju=[0,1,2,5,10,50],Yu=1,Fo=e=>g({trial:{sampling:{...a.trial.sampling,...e}}}),Bi=e=>`${(100*e).toFixed(Yu)} %`;function Di(e,t,n,o){let s=r=>{let i=Number(H(r));Fo(e==="next-temperature"?{temperature:i}:{topP:i})};return u`<label
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
  >`}function Zu({tokens:e,num_others:t,others:n,others_drawn:o}){let s=(i,l,c)=>u`<tr>
      <td>${i}</td>
      <td class="number">${Bi(l)}</td>
      <td class="number">${Bi(c)}</td>
      <td class="fill">
        <span class="track"><span ${A({width:`${100*c}%`})}></span></span>
      </td>
    </tr>`,r=u`<span class="hint">${t.toLocaleString("en")} others</span>`;return u`<table id="next">
    <thead>
      <tr>
        <th>token</th>
        <th>the model's</th>
        <th>drawn</th>
        <th><span class="unseen">drawn, as a bar</span></th>
      </tr>
    </thead>
    <tbody>
      ${e.map(({token:i,prob:l,drawn:c})=>s(u`<bdi>${$(i)}</bdi>`,l,c))}
      ${t?s(r,n,o):h}
    </tbody>
  </table>`}function Qu(e){let{temperature:t,topK:n,topP:o}=a.trial.sampling,{beamSize:s}=a.request,[r]=e.tokens,i=u`A ${k("beam-search",`beam of ${s}`)} tries no more than the first ${s} after this
  beginning, and goes on with the best of all its beginnings.`,l=e.num_drawable.toLocaleString("en");return u`<p>
      Greedy search takes <bdi class="strong">${$(r?.token??"")}</bdi>.
      ${S()&&s>1?i:h} Sampling draws one of
      <span class="strong number" id="drawable">${l}</span> tokens:
    </p>
    <div class="controls" data-unsaved>
      ${Di("next-temperature","temperature",t,2)}
      <label
        >top k
        ${$e("next-top-k",Ju,n,c=>Fo({topK:c}),"Top k",c=>c||"all")}</label
      >
      ${Di("next-top-p","top p",o,1)}
    </div>
    ${Zu(e)}
    <p class="hint">
      Temperature divides the logits: below 1, the likeliest are drawn more often. Top k draws from the k likeliest
      alone; top p from the likeliest that together have the probability p. Nothing is written by this: “Options” has
      the sampling of the translation.
    </p>`}var ed=()=>S()?a.view.outputPosition:a.view.outputPosition-1;function _n(){let{sentence:e,result:t,next:n}=a.inspection,o=ed();if(!Y()||!t||!e||e!==x()||o<0)return h;let{isOpen:s}=a.trial.sampling,r=s?Cs(o):"",i=s&&n?.cell!==r;return u`<details
    id="next-token"
    ?open=${s}
    @toggle=${l=>Fo({isOpen:l.target.open})}
  >
    <summary>How the next token is chosen</summary>
    <div class=${i?"stale":""}>${n&&s?Qu(n.result):h}</div>
  </details>`}var Fi=.6,ue=()=>T()?.arch==="decoder",td=({label:e,prob:t})=>u`<div class="change" role="listitem">
    <bdi>${$(e)}</bdi>
    <span class="track"><span ${A({width:`${100*t}%`})}></span></span
    ><span class="number">${(100*t).toFixed(0)} %</span>
  </div>`;function nd(){let e=a.inspection.result?.predicted,{attribution:t}=a.output;if(!e?.length)return h;let n=T()?.task==="classify"?"the likeliest class":"the chosen token",o=u`<p class="legend">
      <span>${k("moved","moved it")} little ${J("heat",Fi)} much</span>
    </p>
    <p class="hint">The tokens that moved ${n}: the stronger the colour, the more. ${t?.caveat}</p>`;return u`<div id="predicted" role="list">${e.map(td)}</div> ${t?o:h}`}function od(){let e=x();if(!e||!a.inspection.result)return h;let{outputPosition:t}=a.view,n=a.output.attribution?.shares,o=n?.length===1?n[0]:n?.[Math.min(t,n.length-1)],s=(r,i)=>{let l=o?.[i]??0;return u`<button
      class="token"
      dir="auto"
      aria-pressed=${t===i}
      data-place=${i}
      data-share=${l.toFixed(3)}
      ${A({background:o?he("heat",Fi*l):""})}
      @click=${()=>g({view:{outputPosition:i}})}
      >${$(r)}</button
    >`};return u`<p class="output" id="moved" dir=${ge(e.text)}>
    ${e.tokens.map((r,i)=>s(r.token,i))}
  </p>`}function sd(){let{text:e,maxTokens:t,temperature:n}=a.request,o=$e("length",Ii,t,i=>g({request:{maxTokens:i}}),"Tokens"),s=$e("temperature",En,n,i=>g({request:{temperature:i}}),"Temperature"),r=u`<label>Tokens ${o}</label> <label>Temperature ${s}</label>`;return u`<div class="controls">
    <button class="primary" @click=${()=>void Rn()} ?disabled=${!e.trim()&&!ue()}
      >${ue()?"Continue":"Read"}</button
    >
    ${Mn()} ${ue()?r:h}
  </div>`}function rd(e){let t=["#output","#doubts",".alternatives"];if(ue())return _("continuation",t,pt,()=>a.output.sentences);let n=a.inspection.result?.predicted??[],o=()=>[["label","probability"],...n.map(({label:r,prob:i})=>[r,i])],s=e.tokens.map(r=>r.token);return _("predicted",t,o,()=>({predicted:a.inspection.result?.predicted,tokens:s,moved:a.output.attribution?.shares}))}function id(e){return ue()?e?ut(e,0):u`<p class="hint">
    The text with its continuation appears here. The stronger a token is coloured, the less the model expected it.
  </p>`:u`${nd()} ${od()}`}function qi(){let e=x(),t=ue()&&e!==void 0,n=!!a.status.busy.translate,o=s=>{wn(s)&&Rn()};return u`<section class="panel named" aria-label="Text, and what the model makes of it">
    <div class="columns">
      <div>
        <div class="head">
          <h2>Text</h2>
          ${Pn()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="4"
          spellcheck="false"
          aria-label=${ue()?"Text to continue":"Text to read"}
          placeholder=${ue()?"Write how it begins.":"Write or paste a text."}
          .value=${a.request.text}
          @input=${s=>g({request:{text:H(s)}})}
          @keydown=${o}
        ></textarea>
        ${sd()}
      </div>
      <div>
        <div class="head">
          <h2>${ue()?"Continuation":"What the model says"}</h2>
          ${e?.isDone&&a.inspection.result?rd(e):h}
        </div>
        <div class=${V()||n?"stale":""} aria-busy=${n}>
          <div id="output" aria-live="polite">${id(e)}</div>
          ${t?u`${dt()} ${vn(Bo)} ${_n()}`:h}
        </div>
        ${t?kn(Bo):h}
      </div>
    </div>
  </section>`}var Vi=async()=>{a.heads.disabled.length&&await ae([])},On=[{title:"Token by token",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:0,head:ie(),showsComputation:!1}}),await Vi()},text:"A model writes one token at a time. Each token is coloured by how unsure the model was of it. Click one: below, you see the likeliest tokens in its place, with their probabilities."},{title:"What a row is",panel:".matrix",target:".frame",prepare:async()=>{g({view:{inputPosition:null}}),await te(ie())},text:"Before it writes a token, the model looks back at the text. A row of the matrix belongs to the place that is about to write one token, and has read those before it; its cells say how that look is divided among the tokens of the text. A row sums to 1."},{title:"What a head is",panel:".heads",target:"#heads",prepare:()=>g({heads:{sortBy:"place"}}),text:"Every layer has several heads, and each looks in its own way. Some look at the token before, some at the word that is being translated, some at nothing in particular. Each small picture is the matrix of one head. Click some."},{title:"How one weight is computed",panel:".computed",target:"#softmax",prepare:async()=>{g({view:{showsComputation:!0,groupsWords:!1}}),await cd(()=>a.inspection.lookup!==null&&!Tt("lookup"))},text:"The place that is about to write has a query, and each token that it may look at has a key: two lists of numbers. They are multiplied and added up, which gives a score. Softmax turns the scores of a row into weights that sum to 1. Below the table: the head takes the values of those tokens by these weights."},{title:"A weight is not a cause",panel:".matrix",target:".frame",prepare:()=>g({view:{showsComputation:!1,head:ie()}}),text:"A weight says where a head looks. It does not say that the look matters: later layers may ignore it. To know what the translation depends on, take something away and see what changes."},{title:"Taking a head away",panel:".without",target:".changes",prepare:()=>ae([ie()]),text:"One head is off now. The bars show how much less likely each token of the translation becomes without it. Above them is what the model writes then. Often that is nearly the same: heads can stand in for each other."},{title:"Forcing a word",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:Math.min(1,(x()?.tokens.length??1)-1)}}),await Vi()},text:"Click another token in the list below the translation. It is written there, and the model decodes the rest again. See how far one word changes what follows, and what it does not change."},{title:"The search",panel:".search",target:".scroll",prepare:me,text:"A model does not simply take the likeliest token. Beam search keeps several beginnings at once, and drops those that fall behind. The way that won is in the top row. The tour ends here; the rest is yours to try."}],ad=5e3,ld=20;async function cd(e){let t=performance.now()+ad;for(;!e()&&!a.status.error&&performance.now()<t;)await new Promise(n=>setTimeout(n,ld))}function ud(){let{disabled:e,undoStack:t,sortBy:n}=a.heads,{sentences:o,sourceText:s}=a.output;return{view:{...a.view},heads:{disabled:e,undoStack:t,sortBy:n},search:{...a.search},output:{sentences:o,sourceText:s},scrollTop:scrollY}}var Vo=null;async function ji(){let e=T()?.examples?.[0],t=a.request.text.trim()!=="";if(!t&&!e)return g({status:{notice:"Write a text first: this model has no examples."}}),document.querySelector("#text")?.focus();(!(x()?.isDone&&a.output.sourceText!==""&&!V())||!a.inspection.result||W())&&(t||(D(),g({request:{text:e}})),await Ie(),!x()?.isDone)||(Vo=ud(),await jo(0))}async function qo(){document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.remove("touring");let{view:e,heads:t,search:n,output:o,scrollTop:s}=Vo,r=o.sourceText===a.output.sourceText,i=a.inspection.sentence===(o.sentences[e.sentenceIndex]??null);Vo=null;let{isPlaying:l}=a.view,{showsComputation:c,groupsWords:d}=e;r?g({heads:t,search:n,output:o,view:{...e,tourStop:null,isPlaying:l,hoveredToken:null}}):g({heads:t,view:{tourStop:null,showsComputation:c,groupsWords:d}}),document.querySelector("#tour")?.focus({preventScroll:!0}),r&&!i?await F():await Q(),r&&e.head.startsWith(C)&&await te(e.head),Ge(()=>scrollTo({top:s}))}async function jo(e){let t=On[e];document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.add("touring"),g({view:{tourStop:e}}),await t.prepare(),Ge(()=>{if(a.view.tourStop!==e)return;let n=document.querySelector(t.panel);n?.classList.add("toured"),document.querySelector("#tour-next")?.focus({preventScroll:!0}),pd(n?.querySelector(t.target)??document.querySelector(t.target)??n)})}var dd=12;function pd(e){let t=document.querySelector(".tour");if(!e||!t)return;document.documentElement.style.setProperty("--bar",`${t.offsetHeight}px`);let{top:n,height:o}=e.getBoundingClientRect(),s=innerHeight-t.offsetHeight;scrollTo({top:Math.max(0,scrollY+n-Math.max(dd,(s-o)/2)),behavior:Eo()})}function Ui(){let e=a.view.tourStop,t=e===null?void 0:On[e];if(e===null||!t||!S())return h;let n=e===On.length-1,o=r=>{r.key==="Escape"&&qo()},s=u`<button id="tour-back" @click=${()=>void jo(e-1)}>Back</button>`;return u`<div class="tour" role="dialog" aria-labelledby="tour-title" @keydown=${o}>
    <div class="says" tabindex="0" role="group" aria-label="What this stop shows">
      <h2 id="tour-title">${e+1} of ${On.length}: ${t.title}</h2>
      <p>${t.text}</p>
    </div>
    <div class="controls">
      <button id="tour-end" @click=${()=>void qo()}>End</button>
      <span>
        ${e?s:h}
        <button id="tour-next" class="primary" @click=${()=>void(n?qo():jo(e+1))}
          >${n?"Done":"Next"}</button
        >
      </span>
    </div>
  </div>`}function hd(e){let t=document.createElement("textarea"),{activeElement:n}=document;t.value=e,t.className="unseen",document.body.append(t),t.select();let o=!1;try{o=document.execCommand("copy")}catch{}return t.remove(),n?.focus(),o}var Uo="Copied.";async function Gi(e){let t=!1;try{await navigator.clipboard.writeText(e),t=!0}catch{t=hd(e)}ws(t?Uo:"The browser does not allow copying here. Select the translation, and copy it with the keyboard.")}var Ki=50,md=400;async function Xi(e){await E("file",`Translating ${e.name}`,async t=>{let n=await e.text(),o=/\.html?$/i.test(e.name),s=o?[n]:n.split(`
`),r=[];for(let d=0;d<s.length;d+=Ki){let p=s.slice(d,d+Ki),m={...U(),...Ve(),texts:p,format:o?"html":"text"},{translations:f}=await O("translate",m,t);f.forEach((b,w)=>{let y=d+w+1;if("error"in b)throw new G(md,`Line ${y} of ${e.name}: ${b.error.message}`);r.push(b.text)}),zt("file",`Translating ${e.name}: ${r.length} of ${s.length} lines`)}let[,i,l]=/^(.*?)(\.[^.]*)?$/.exec(e.name),c=`${i}.${T()?.target??"translated"}${l??".txt"}`;He(c,r.join(`
`),o?"text/html":"text/plain")})}var fd=300,gd=[1,2,3,5,8,12],Yi=/<\/?[a-z][^>]*>/i,zi=0;function bd(e){let t=H(e);g({request:{text:t,isHtml:a.request.isHtml&&Yi.test(t)},output:{isExample:!1}}),clearTimeout(zi),zi=window.setTimeout(()=>{Qe(),a.request.translatesWhileTyping&&Ie()},fd)}function Cn(e){g({request:e}),Ie()}function Zi(){D(),Ie()}function wd(e,t){let{text:n,score:o}=e,s=u`<span class="number">${o.toFixed(3)}</span>`;if(!n)return u`<li><span class="hint">nothing</span> ${s}</li>`;let{compared:r}=a.output,i=r!==null&&nn(e,r),l=()=>{D(),lt(e)},c=u`<button
    class="compare"
    aria-pressed=${i}
    @click=${()=>void _t(e)}
    >compare</button
  >`;return u`<li>
    <button class="link" aria-pressed=${n===t.text} @click=${l}><bdi>${n}</bdi></button>
    ${s} ${n===t.text?h:c}
  </li>`}var Ji=!1;function yd(){let e=x();if(!e?.isDone)return h;let{nBest:t}=e,n=t.filter(({text:r},i)=>t.findIndex(l=>l.text===r)===i);if(n.length<2)return h;let o=n.length-1;return u`<details class="nbest" ?open=${Ji} @toggle=${r=>{Ji=r.target.open}}>
    <summary>${o} other ${o===1?"translation":"translations"}</summary>
    <p class="hint">${k("best","The best translations")}, best first:</p>
    <ol>
      ${n.map(r=>wd(r,e))}
    </ol>
  </details>`}function $d(){let e=x(),{compared:t}=a.output;if(!e?.isDone||!t)return h;let n=({tokens:r})=>r.reduce((i,l)=>i+(l.log_prob??0),0).toFixed(2),o=t.tokens.map(r=>r.token),s=t.tokens.map(({token:r,log_prob:i},l)=>u`${Co(r,l)}<span
          class="token ${nt(o,l)}"
          dir="auto"
          title=${ct(i)}
          ${A(Oo(i))}
          >${$(r)}</span
        >`);return u`<div id="compared">
    <p class="hint">
      Beside it, with a log-probability of <span class="strong number">${n(t)}</span> in place of
      <span class="strong number">${n(e)}</span> (without &lt;/s&gt;). Marked words are not in the one above.
    </p>
    <p class="output" dir=${ge(t.text)}>${s}</p>
    <p dir="auto">${Ce(t.text,e.text)}</p>
  </div>`}function xd(){return u`<label class="file"
    >Translate a file <input id="file" type="file" accept=".txt,.html,.htm,text/plain,text/html" @change=${t=>{let n=t.target,o=n.files?.[0];o&&Xi(o),n.value=""}}
  /></label>`}function kd(){let{total:e,longestSentence:t,sentenceLimit:n,truncatedSentences:o}=a.tokenCounts;if(e===null)return h;let s=o===1?"1 sentence is":`${o} sentences are`;return u`<span id="count" class="hint ${o?"warning":""}"
    >${e} ${k("tokens","tokens")}${o?`; ${s} cut`:""}; a sentence may have
    ${n}, the longest has ${t}</span
  >`}function vd(){let{text:e,temperature:t,seed:n,isHtml:o}=a.request,s=u`<button id="again" @click=${()=>Cn({seed:n+1})}>Draw again</button>`,r=u`<label
    ><input
      id="html"
      type="checkbox"
      .checked=${o}
      @change=${i=>Cn({isHtml:le(i)})}
    />
    as HTML</label
  >`;return u`${t&&e.trim()?s:h} ${Yi.test(e)?r:h}`}function Td(){let{text:e,translatesWhileTyping:t,beamSize:n,temperature:o}=a.request,s=$e("beam",gd,n,i=>Cn({beamSize:i,temperature:0}),"Beam"),r=$e("temperature",En,o,i=>Cn({temperature:i}),"Sampling",i=>i||"off");return u`<div class="controls">
    <button class="primary" @click=${Zi} ?disabled=${!e.trim()}>Translate</button>
    ${Mn()} ${vd()}
    <details class="options">
      <summary>Options</summary>
      <div class="controls">
        <label
          ><input
            type="checkbox"
            .checked=${t}
            @change=${i=>g({request:{translatesWhileTyping:le(i)}})}
          />
          while typing</label
        >
        <span class="together">${k("beam","Beam")} ${s}</span>
        <span class="together">${k("sampling","Sampling")} ${r}</span>
        ${xd()} ${kd()}
      </div>
    </details>
  </div>`}function Sd(){let e=T()?.examples??[];if(!(a.output.isExample||!a.request.text)||!e.length)return h;let n=o=>{D(),g({request:{text:o},output:{isExample:!1}}),Qe(),Ie()};return u`<p class="hint">
    ${a.output.isExample?"An example. Write over it, or take another:":"For example:"}
    ${e.map((o,s)=>o===a.request.text?h:u`<button class="link" title=${o} @click=${()=>n(o)}
        ><span class="whole">${o}</span><span class="short" aria-hidden="true">${s+1}</span></button
      > `)}
  </p>`}function Rd(){let{html:e,sentences:t}=a.output;return e?u`<pre class="html">${e}</pre>`:t.length?t.map(ut):u`<p class="hint">
    The translation appears here, token by token. The stronger a token is coloured, the less sure the model was of it.
  </p>`}function Ad(){let{html:e,sentences:t}=a.output,n=e!==""||t.length>0&&t.every(i=>i.isDone),o=()=>e||t.map(({separator:i,text:l})=>`${i??""}${l}`).join(""),s=()=>_("translation",["#output","#doubts",".alternatives"],pt,()=>t),r=u`<button id="copy" @click=${()=>void Gi(o())}
    >${a.status.notice===Uo?"Copied":"Copy"}</button
  >`;return u`${n?r:h} ${t.some(i=>i.isDone)?s():h}`}function Ed(){let{sentences:e}=a.output,t=!!a.status.busy.translate,n=V()||t&&e.every(s=>s.isDone),o=u`<p class="hint" id="other-text">
    This is the translation of another text than the one that stands there now.
  </p>`;return u`<div>
    <div class="head">
      <h2>Translation</h2>
      ${Ad()}
    </div>
    <div class=${n?"stale":""} aria-busy=${t}>
      <div id="output" aria-live="polite">${Rd()}</div>
      ${V()&&!t?o:h} ${e.length?dt():h}
      ${vn(Mo)} ${_n()} ${yd()} ${$d()}
    </div>
    ${kn(Mo)}
  </div>`}function Qi(){let e=t=>{wn(t)&&Zi()};return u`<section class="panel translate" aria-label="Text and translation">
    <div class="columns">
      <div>
        <div class="head source">
          <h2 id="translate-title">Text</h2>
          ${Pn()}
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
          @input=${bd}
          @keydown=${e}
        ></textarea>
        ${Td()} ${Sd()}
      </div>
      ${Ed()}
    </div>
  </section>`}var na="regard-theme";function Pd(){let e=document.documentElement,t=matchMedia("(prefers-color-scheme: dark)").matches,o=(e.dataset.theme??(t?"dark":"light"))==="dark"?"light":"dark";e.dataset.theme=o;try{localStorage.setItem(na,o)}catch{}g({})}function Md(){return u`<form class="key" @submit=${t=>{t.preventDefault(),ps(document.querySelector("#key").value),Go()}}>
    <label>Key <input id="key" type="password" autocomplete="off" /></label> <button>Use it</button>
  </form>`}function _d(){let e=()=>u`${Or()} ${Hr()}
      <div class="column">${ei()} ${lr()}</div>
      <div class="stacked">${Ti()} ${qr()}</div> ${wi()} ${Ur()}
      ${Ci()}`;return a.server.storedPage?u`${Hi()}${e()}`:a.server.models.length?S()?u`${Qi()}${e()}${Oi()}`:u`${qi()}${a.inspection.result?e():h}`:h}var Od=[["#text","Text"],["#output","Translation"],[".alignment","Attention"],[".heads","Heads"],[".without","Without"],[".search","Search"]];function Cd(){let e=t=>{let n=document.querySelector(t);n&&t!=="#text"&&(n.tabIndex=-1),n?.focus(),n?.scrollIntoView({block:"start"})};return u`<nav class="skips" aria-label="Go to a part of the page">
    ${Od.map(([t,n])=>u`<button class=${t==="#output"?"desk":""} @click=${()=>e(t)}>${n}</button>`)}
  </nav>`}function Hd(){return a.server.storedPage?"What the heads look at":S()||!a.server.models.length?"Translate, and look inside while it happens.":"See what a model does with a text."}function Ld(){let e=Object.values(a.status.busy).at(-1),t=u`<button id="tour" @click=${()=>void ji()}>Explain</button>`;return u`<header>
    <h1>Regard</h1>
    <p class="hint">${Hd()}</p>
    <span class="said" role="status">${a.status.notice}</span
    ><span class="status" role="status">${e?u`<span class="spinner"></span>${e} …`:h}</span>
    ${S()?t:h} ${a.server.storedPage?h:u`<a href="docs">API</a>`}
    <button class="theme" @click=${Pd} aria-label="Light or dark">◐</button>
  </header>`}function Nd(){let{error:e,needsApiKey:t}=a.status;if(!e)return h;let n=u`<button @click=${()=>void Yn()}>Try again</button>`;return u`<p class="error" role="alert">${e} ${t?h:n}</p>`}function Id(){return u`${Cd()} ${Ld()} ${Nd()}
    <main>${a.status.needsApiKey?Md():h} ${_d()}</main>
    ${Ui()}`}function Ht(){Ss();let e=document.querySelector("#page");e.classList.toggle("busy",Object.keys(a.status.busy).length>0),is(Id(),e)}async function Go(){await Ls(),oa(),An(),a.request.text&&a.server.models.length&&(Qe(),await Ct())}async function Wd(){if(!a.server.models.length||a.status.needsApiKey)return await Go();(V()||!x()||a.output.sentences.some(t=>!t.isDone))&&!(a.output.html&&!V())?a.request.text.trim()&&(Qe(),await Ct()):W()||!a.inspection.result?await F():a.heads.disabled.length&&a.heads.ablatedSentence!==a.inspection.sentence?await Q():g({})}function Bd(){let e=null;try{e=window.frameElement}catch{}if(!e)return;let{style:t}=e,n=()=>{t.height=`${document.documentElement.offsetHeight+4}px`};new ResizeObserver(n).observe(document.documentElement)}function Dd(){try{return localStorage.getItem(na)}catch{return null}}var oa=()=>{document.body.dataset.ready="yes"};function Fd(){let e=T(),t=no();g(t,ee()?.tracesSearch?{}:{search:{trace:null,candidate:null}}),g({output:{isExample:!1}}),An(),Do(e),Ct()}var ea=Dd();ea&&(document.documentElement.dataset.theme=ea);Un(Ht);Un(ks);addEventListener("resize",Ht);matchMedia("(prefers-color-scheme: dark)").addEventListener("change",Ht);Object.assign(globalThis,{regard:{state:a,matrixLayout:Mr,unmatchedWords:Rs}});var ta=Li();ta?(Bd(),Ni(ta).then(()=>{Ht(),oa()})):(Qt(),gs(Wd),addEventListener("hashchange",Fd),Ht(),Go());})();
